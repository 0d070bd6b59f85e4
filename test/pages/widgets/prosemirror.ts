import { baseKeymap } from 'prosemirror-commands';
import { history, undo } from 'prosemirror-history';
import { keymap } from 'prosemirror-keymap';
import { schema } from 'prosemirror-schema-basic';
import { EditorState } from 'prosemirror-state';
import { EditorView } from 'prosemirror-view';
import 'prosemirror-view/style/prosemirror.css';
import { at, expose, markup } from './page.ts';

markup('<div id="editor"></div>');
const doc = schema.node('doc', null, [
  schema.node('paragraph', null, [schema.text('old words')]),
  schema.node('paragraph', null, [schema.text('second')]),
]);
const view = new EditorView(at('#editor'), {
  state: EditorState.create({ doc, plugins: [history(), keymap({ 'Mod-z': undo }), keymap(baseKeymap)] }),
  attributes: { 'aria-label': 'Message' },
});
expose(() => view.state.doc.textBetween(0, view.state.doc.content.size, '\n'));
