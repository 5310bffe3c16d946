// Makes a PNG small: 256 colours at most, which is enough for a picture of a page. Reads what browsers write: 8 bits, RGB or RGBA, not interlaced.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = 8;
const COLOURS = 256;

interface Picture {
  readonly width: number;
  readonly height: number;
  /** Three bytes for each pixel. */
  readonly pixels: Uint8Array;
}

function paeth(left: number, above: number, corner: number): number {
  const [a, b, c] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

function unfilter(data: Uint8Array, width: number, height: number, bytes: number): Uint8Array {
  const row = width * bytes;
  const out = new Uint8Array(row * height);
  for (let y = 0; y < height; y++) {
    const filter = data[y * (row + 1)]!;
    for (let x = 0; x < row; x++) {
      const at = y * row + x;
      const left = x >= bytes ? out[at - bytes]! : 0;
      const above = y > 0 ? out[at - row]! : 0;
      const corner = x >= bytes && y > 0 ? out[at - row - bytes]! : 0;
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter]!;
      out[at] = data[y * (row + 1) + 1 + x]! + guess;
    }
  }
  return out;
}

function read(png: Buffer): Picture {
  const [width, height, colourType] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25]!];
  const bytes = colourType === 6 ? 4 : 3;
  const parts: Buffer[] = [];
  for (let at = SIGNATURE; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const raw = unfilter(inflateSync(Buffer.concat(parts)), width, height, bytes);
  const pixels = new Uint8Array(width * height * 3);
  for (let one = 0; one < width * height; one++) pixels.set(raw.subarray(one * bytes, one * bytes + 3), one * 3);
  return { width, height, pixels };
}

function nearest(palette: readonly number[], colour: number): number {
  const distance = (other: number): number =>
    ((other >> 16) - (colour >> 16)) ** 2 +
    (((other >> 8) & 255) - ((colour >> 8) & 255)) ** 2 +
    ((other & 255) - (colour & 255)) ** 2;
  let best = 0;
  for (let index = 1; index < palette.length; index++) if (distance(palette[index]!) < distance(palette[best]!)) best = index;
  return best;
}

function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The same picture with its most frequent colours; others become the nearest of them. */
export function withPalette(png: Buffer): Buffer {
  const { width, height, pixels } = read(png);
  const counts = new Map<number, number>();
  const colourAt = (at: number): number => (pixels[at * 3]! << 16) | (pixels[at * 3 + 1]! << 8) | pixels[at * 3 + 2]!;
  for (let at = 0; at < width * height; at++) counts.set(colourAt(at), (counts.get(colourAt(at)) ?? 0) + 1);
  const palette = [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, COLOURS)
    .map(([colour]) => colour);
  const indexes = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indexes.get(colourAt(y * width + x))!;
  const header = Buffer.from(png.subarray(16, 29));
  header[8] = 8;
  header[9] = 3;
  const colours = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  return Buffer.concat([
    png.subarray(0, SIGNATURE),
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
