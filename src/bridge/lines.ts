import type { Duplex } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

export interface LineOptions {
  /** Longest line, characters. */
  max: number;
  /** Each line as parsed JSON. */
  line(value: unknown): void;
  /** A line that is too long or no JSON: the stream is of no use any more, and ends. */
  bad(message: string): void;
  closed(): void;
}

export interface Lines {
  /** Writes one line; does nothing once the stream has ended. */
  send(value: unknown): void;
  end(): void;
}

/**
 * JSON values, one a line, over a byte stream: the framing of MCP over stdio. Several lines in one chunk and one over many are the same to
 * the reader.
 */
export function linesOver(stream: Duplex, options: LineOptions): Lines {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;
  let open = true;
  const end = () => {
    open = false;
    stream.destroy();
  };
  const bad = (message: string) => {
    end();
    options.bad(message);
  };
  stream.on('data', (chunk: Buffer) => {
    let text = decoder.write(chunk);
    while (open) {
      const at = text.indexOf('\n');
      const piece = at < 0 ? text : text.slice(0, at);
      length += piece.length;
      if (length > options.max) return bad(`A line of more than ${options.max} characters was sent.`);
      parts.push(piece);
      if (at < 0) return;
      const line = parts.join('').trim();
      text = text.slice(at + 1);
      parts = [];
      length = 0;
      if (line === '') continue;
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        return bad('A line that is no JSON was sent.');
      }
      options.line(value);
    }
  });
  stream.on('error', () => undefined);
  stream.on('close', () => {
    open = false;
    options.closed();
  });
  return {
    send(value) {
      if (open && stream.writable) stream.write(`${JSON.stringify(value)}\n`);
    },
    end,
  };
}
