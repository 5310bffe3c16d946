// How large a picture says that it is, read from its first bytes. A browser decodes pictures whole: a small file can need gigabytes of memory.

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPEG = [0xff, 0xd8];

/** Start of frame, of every kind: the others between are tables. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpegSize(view: DataView): PictureSize | undefined {
  for (let at = 2; at + 9 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    if (isFrame(view.getUint8(at + 1))) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** Of a PNG or a JPEG. Undefined for anything else. */
export function pictureSize(bytes: Uint8Array): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const begins = (magic: readonly number[]): boolean => magic.every((one, at) => bytes[at] === one);
  if (begins(PNG) && view.byteLength >= 24) return { width: view.getUint32(16), height: view.getUint32(20) };
  return begins(JPEG) ? jpegSize(view) : undefined;
}
