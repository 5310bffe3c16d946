// Small images.
import { crc32, deflateSync } from 'node:zlib';

function chunk(name: string, data: Buffer): Buffer {
  const whole = Buffer.concat([Buffer.alloc(4), Buffer.from(name), data, Buffer.alloc(4)]);
  whole.writeUInt32BE(data.length);
  whole.writeUInt32BE(crc32(whole.subarray(4, -4)), whole.length - 4);
  return whole;
}

/** A square of one colour. `said`: the size that its header names. */
export function png(side = 1, said = side): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(said, 0);
  header.writeUInt32BE(said, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const line = Buffer.concat([Buffer.alloc(1), Buffer.alloc(3 * side, 0x60)]);
  const rows = Buffer.concat(Array.from({ length: side }, () => line));
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}

/** A request that gives an application a logo. */
export const logoBody = (image: Buffer) => ({ logo: { content: image.toString('base64') } });
export const LOGO = logoBody(png());
