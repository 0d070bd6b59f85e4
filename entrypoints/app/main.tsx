import { App } from '../../components/surfaces/app.tsx';
import { mount } from '../../components/surfaces/mount.tsx';

void mount('app', App);
