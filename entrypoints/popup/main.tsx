import { mount } from '../../components/surfaces/mount.tsx';
import { Popup } from '../../components/surfaces/popup.tsx';

mount('popup', Popup);
