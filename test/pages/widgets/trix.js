import 'trix';
import 'trix/dist/trix.css';
import { at, expose, markup } from './page.ts';

markup(
  '<input type="hidden" id="body" value="old <b>words</b>"><trix-editor input="body" aria-label="Message"></trix-editor>',
);
let text = 'old words\n';
expose(() => ({ text, html: at('#body').value }));
at('trix-editor').addEventListener('trix-change', () => {
  text = at('trix-editor').editor.getDocument().toString();
});
