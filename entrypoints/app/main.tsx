import { mount } from '../../components/surfaces/mount.tsx';
import { App } from '../../components/surfaces/app.tsx';

mount('app', App);
