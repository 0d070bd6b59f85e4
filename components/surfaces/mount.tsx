import { type ComponentType, render } from 'preact';
import '../kit/tokens.css';
import '../kit/base.css';
import '../kit/kit.css';
import '../kit/data.css';
import '../approval/approval.css';
import '../run/run.css';
import '../workflows/workflows.css';
import './surfaces.css';
import { type Surface, setSurface } from '../client.ts';
import { startLook } from '../kit/i18n.tsx';
import { startState } from '../state.ts';

/** Mounts a surface: the question to the background goes out first, then the look (no flash of the wrong theme), then the page. */
export async function mount(surface: Surface, Root: ComponentType): Promise<void> {
  setSurface(surface);
  startState();
  await startLook();
  const root = document.getElementById('root');
  if (!root) throw new Error('The page has no element with the id "root".');
  render(<Root />, root);
}
