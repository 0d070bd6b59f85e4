import { mount } from '../../components/surfaces/mount.tsx';
import { Popup } from '../../components/surfaces/popup.tsx';

void mount('popup', Popup);
