import { mount } from '../../components/surfaces/mount.tsx';
import { SidePanel } from '../../components/surfaces/sidepanel.tsx';

void mount('sidepanel', SidePanel);
