import { mount } from '../../components/surfaces/mount.tsx';
import { SidePanel } from '../../components/surfaces/sidepanel.tsx';

mount('sidepanel', SidePanel);
