import * as FilePond from 'filepond';
import 'filepond/dist/filepond.css';
import { at, expose, markup } from './page.ts';

markup('<label for="receipt">Receipt</label><input type="file" id="receipt" multiple>');
const model: { name: string; size: number }[] = [];
expose(() => model);
FilePond.create(at('#receipt'), {
  onaddfile: (_error, { filename, fileSize }) => model.push({ name: filename, size: fileSize }),
});
