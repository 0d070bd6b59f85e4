import { basicSetup, EditorView } from 'codemirror';
import { at, expose, markup } from './page.ts';

markup('<div id="editor"></div>');
const view = new EditorView({
  doc: 'old\nwords\n',
  parent: at('#editor'),
  extensions: [basicSetup, EditorView.contentAttributes.of({ 'aria-label': 'Code' })],
});
expose(() => view.state.doc.toString());
