import { getDocument, PDFWorker } from 'pdfjs-dist/legacy/build/pdf.mjs';
import PdfWorker from 'pdfjs-dist/legacy/build/pdf.worker.mjs?worker';
import { type PdfPiece, pdfText } from '../../src/view/documents/pdf-text.ts';
import type { ReadProblem } from './read.ts';

/** Pages that are read of one file. */
const MOST_PAGES = 2000;

/** The text of a PDF, by page. Scripts in it are never run, and nothing is loaded. */
export async function readPdf(
  data: Uint8Array,
): Promise<{ title: string; content: string } | { problem: ReadProblem }> {
  const port = new PdfWorker();
  const worker = PDFWorker.create({ port });
  const task = getDocument({
    data,
    worker,
    // Only the text is wanted: no fonts, no pictures, nothing from elsewhere.
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    enableXfa: false,
    verbosity: 0,
  });
  try {
    const pdf = await task.promise;
    if (pdf.numPages > MOST_PAGES) return { problem: 'large' };
    const pages: PdfPiece[][] = [];
    for (let number = 1; number <= pdf.numPages; number += 1) {
      const { items } = await (await pdf.getPage(number)).getTextContent();
      pages.push(items.flatMap((item) => ('str' in item ? [item] : [])));
    }
    const content = pdfText(pages);
    const { info } = await pdf.getMetadata();
    const title = (info as { Title?: unknown }).Title;
    return content === '' ? { problem: 'noText' } : { title: typeof title === 'string' ? title : '', content };
  } catch (error) {
    return { problem: error instanceof Error && error.name === 'PasswordException' ? 'locked' : 'damaged' };
  } finally {
    await task.destroy().catch(() => undefined);
    worker.destroy();
    port.terminate();
  }
}
