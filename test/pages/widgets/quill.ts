import Quill from 'quill';
import 'quill/dist/quill.snow.css';
import { at, expose, markup } from './page.ts';

markup('<h2 id="title">Message</h2><div id="editor"><p>old <b>words</b></p></div>');
const quill = new Quill('#editor', { theme: 'snow' });
at('.ql-editor').setAttribute('aria-labelledby', 'title');
at('.ql-editor').setAttribute('role', 'textbox');
let text = quill.getText();
quill.on('text-change', () => {
  text = quill.getText();
});
expose(() => ({ text, ops: quill.getContents().ops }));
