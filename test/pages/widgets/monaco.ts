import * as monaco from 'monaco-editor-core';
import { at, expose, markup } from './page.ts';

markup('<div id="editor" style="height: 300px; width: 600px"></div>');
// What workers do (links, word lists) is of no matter here.
Object.assign(window, { MonacoEnvironment: { getWorker: () => new Worker('data:text/javascript,') } });
const editor = monaco.editor.create(at('#editor'), { value: 'old\nwords\n', ariaLabel: 'Code' });
expose(() => editor.getValue());
