// JPEG (ITU T.81): markers, most with a segment, and the scans after SOS.
import type { CleanImage } from './clean-image.ts';

const [SOI, EOI, SOS, APP0, APP1, APP14, COM] = [0xd8, 0xd9, 0xda, 0xe0, 0xe1, 0xee, 0xfe];

/** Segments with the size of the image (SOF0 to SOF15, without DHT, JPG and DAC). */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** The Adobe segment tells how colours are stored. All other application segments and comments are metadata. */
const isMetadata = (marker: number): boolean => (marker >= APP0 && marker <= 0xef && marker !== APP14) || marker === COM;
/** Markers within a scan: restarts, and a byte FF of the data. */
const isInScan = (marker: number): boolean => marker === 0x00 || (marker >= 0xd0 && marker <= 0xd7);

/** Where the scan that begins at `from` ends. */
function endOfScan(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(0xff, from);
  while (at !== -1 && at + 1 < bytes.length) {
    if (!isInScan(bytes[at + 1]!) && bytes[at + 1] !== 0xff) return at;
    at = bytes.indexOf(0xff, at + 1);
  }
  return bytes.length;
}

/** How the photo must be turned (1 to 8), from Exif. Phones store photos as the sensor saw them. */
function orientationIn(segment: Buffer): number {
  const tiff = segment.subarray(10);
  if (segment.toString('latin1', 4, 10) !== 'Exif\0\0' || tiff.length < 14) return 1;
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number => (at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  for (let index = 0; index < Math.min(short(directory), 100); index++) {
    const entry = directory + 2 + 12 * index;
    if (short(entry) === 0x0112) return short(entry + 8);
  }
  return 1;
}

/** An Exif segment with nothing but the orientation. */
const orientationSegment = (orientation: number): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, APP1, 0, 34]),
    Buffer.from('Exif\0\0MM\0*\0\0\0\x08\0\x01', 'latin1'),
    Buffer.from([0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0]),
  ]);

/** Undefined when it is not a JPEG, or is damaged. */
export function cleanJpeg(bytes: Buffer): CleanImage | undefined {
  if (bytes.length < 4 || bytes[0] !== 0xff || bytes[1] !== SOI) return undefined;
  const kept: Buffer[] = [];
  let [orientation, width, height] = [1, 0, 0];
  for (let at = 2; at + 4 <= bytes.length || bytes[at + 1] === EOI; ) {
    const marker = bytes[at + 1];
    if (bytes[at] !== 0xff || marker === undefined) return undefined;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === EOI) {
      if (width === 0 || !kept.some((part) => part[1] === SOS)) return undefined;
      const turned = orientation > 1 && orientation <= 8 ? [orientationSegment(orientation)] : [];
      const content = Buffer.concat([Buffer.from([0xff, SOI]), ...turned, ...kept, Buffer.from([0xff, EOI])]);
      return { content, width, height };
    }
    const length = bytes.readUInt16BE(at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > bytes.length) return undefined;
    if (isFrame(marker)) {
      // With a second frame, programs would differ in how large the image is.
      if (length < 8 || width > 0) return undefined;
      height = bytes.readUInt16BE(at + 5);
      width = bytes.readUInt16BE(at + 7);
    }
    if (marker === APP1 && orientation === 1) orientation = orientationIn(bytes.subarray(at, end));
    const next = marker === SOS ? endOfScan(bytes, end) : end;
    if (!isMetadata(marker)) kept.push(bytes.subarray(at, next));
    at = next;
  }
  return undefined;
}
