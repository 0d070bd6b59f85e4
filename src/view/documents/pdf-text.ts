/** A piece of text on a page of a PDF, as pdf.js gives it. */
export interface PdfPiece {
  str: string;
  /** Whether the line ends behind it. */
  hasEOL: boolean;
  /** The last two are where it stands: from the left, and from the bottom. */
  transform: readonly number[];
  height: number;
}

/** A line further below than so many heights of the one before begins a paragraph. */
const PARAGRAPH = 1.7;

/** The pages of a PDF as one text, each below a heading of its own, so that what is found says on which page; '' where there is no text. */
export function pdfText(pages: readonly (readonly PdfPiece[])[]): string {
  const texts = pages.map(pageText);
  if (texts.every((text) => text === '')) return '';
  return texts.map((text, index) => `## Page ${index + 1}\n\n${text}`.trimEnd()).join('\n\n');
}

function pageText(pieces: readonly PdfPiece[]): string {
  let text = '';
  let before: PdfPiece | undefined;
  for (const piece of pieces) {
    const [y = 0, from = 0] = [piece.transform[5], before?.transform[5]];
    const height = Math.max(before?.height ?? 0, piece.height);
    if (piece.str.trim() !== '') {
      if (before && height > 0 && Math.abs(from - y) > PARAGRAPH * height) text = `${text.trimEnd()}\n\n`;
      before = piece;
    }
    text += piece.str;
    if (piece.hasEOL) text += '\n';
  }
  // A word that is divided at the end of a line is one word.
  return (
    text
      .replace(/(\p{L})-\n(?=\p{Ll})/gu, '$1')
      .replace(/[^\S\n]+$/gm, '')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
      // A line that begins with number signs is no heading of ours.
      .replace(/^(?=#{1,6}\s)/gm, ' ')
  );
}
