import { App } from '../../components/surfaces/app.tsx';
import { mount } from '../../components/surfaces/mount.tsx';

mount('app', App);
