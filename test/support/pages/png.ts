import { inflateSync } from 'node:zlib';

/** A decoded picture: red, green and blue of a pixel. */
export interface Picture {
  width: number;
  height: number;
  at(x: number, y: number): [number, number, number];
}

/** Reads a PNG of 8 bits a channel without interlacing, as browsers write them. */
export function readPng(png: Uint8Array): Picture {
  const data = Buffer.from(png);
  const width = data.readUInt32BE(16);
  const height = data.readUInt32BE(20);
  const channels = data[25] === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = 8; at < data.length; ) {
    const size = data.readUInt32BE(at);
    if (data.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(data.subarray(at + 8, at + 8 + size));
    at += size + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const stride = width * channels;
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let i = 0; i < stride; i++) {
      const left = i >= channels ? (pixels[y * stride + i - channels] as number) : 0;
      const up = y > 0 ? (pixels[(y - 1) * stride + i] as number) : 0;
      const corner = i >= channels && y > 0 ? (pixels[(y - 1) * stride + i - channels] as number) : 0;
      const given = raw[y * (stride + 1) + 1 + i] as number;
      pixels[y * stride + i] = (given + guess(filter as number, left, up, corner)) & 255;
    }
  }
  return {
    width,
    height,
    at: (x, y) =>
      [...pixels.subarray(y * stride + x * channels, y * stride + x * channels + 3)] as [number, number, number],
  };
}

function guess(filter: number, left: number, up: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return up;
  if (filter === 3) return (left + up) >> 1;
  if (filter !== 4) return 0;
  const estimate = left + up - corner;
  const [a, b, c] = [left, up, corner].map((one) => Math.abs(estimate - one)) as [number, number, number];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}
