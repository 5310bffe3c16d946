// Uploaded images: nothing but what shows them is kept, and what is no image is refused.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { MAX_PICTURE_BYTES, readPicture } from './image.ts';

const HTML = Buffer.from('<html><script>alert(document.domain)</script></html>');
const PLACE = Buffer.from('GPS 40.4168 N 3.7038 W');

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

function png(width = 1, height = 1, extra: readonly Buffer[] = []): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const parts = [chunk('IHDR', header), ...extra, chunk('IDAT', deflateSync(Buffer.alloc(4))), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}

function segment(marker: number, data: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(data.length + 2, 2);
  return Buffer.concat([head, data]);
}

const exif = (orientation: number): Buffer =>
  Buffer.concat([
    Buffer.from('Exif\0\0II*\0\x08\0\0\0\x01\0', 'latin1'),
    Buffer.from([0x12, 0x01, 3, 0, 1, 0, 0, 0, orientation, 0, 0, 0, 0, 0, 0, 0]),
    PLACE,
  ]);

function jpeg(width = 1, height = 1, extra: readonly Buffer[] = []): Buffer {
  const frame = Buffer.from([8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]);
  const scan = Buffer.from([1, 1, 0, 0, 63, 0]);
  const data = Buffer.from([0x12, 0xff, 0x00, 0xff, 0xd0, 0x34]);
  const [start, end] = [Buffer.from([0xff, 0xd8]), Buffer.from([0xff, 0xd9])];
  return Buffer.concat([start, ...extra, segment(0xc0, frame), segment(0xda, scan), data, end]);
}

function webp(width: number, height: number, extra: readonly (readonly [string, Buffer])[] = []): Buffer {
  const head = Buffer.alloc(10);
  head[0] = 0x2c;
  head.writeUIntLE(width - 1, 4, 3);
  head.writeUIntLE(height - 1, 7, 3);
  const image = Buffer.from([0x2f, 0, 0, 0, 0, 0]);
  const chunks = ([['VP8X', head], ['VP8L', image], ...extra] as const).map(([name, data]) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(data.length);
    return Buffer.concat([Buffer.from(name, 'latin1'), length, data, Buffer.alloc(data.length % 2)]);
  });
  const body = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from('RIFF'), length, body]);
}

function kept(bytes: Buffer, mediaType: string): Buffer {
  const picture = readPicture(bytes);
  assert.ok('content' in picture, JSON.stringify(picture));
  assert.equal(picture.mediaType, mediaType);
  return picture.content;
}

const refused = (bytes: Buffer): string => {
  const picture = readPicture(bytes);
  return 'problem' in picture ? picture.problem : 'nothing';
};

describe('An uploaded image', () => {
  it('loses metadata, comments, unknown parts, and what is after its end', () => {
    const text = (name: string) => chunk(name, Buffer.concat([PLACE, HTML]));
    const hiddenInPng = Buffer.concat([png(1, 1, ['tEXt', 'iTXt', 'eXIf', 'zzZz', 'iCCP'].map(text)), HTML]);
    assert.deepEqual(kept(hiddenInPng, 'image/png'), png());
    const hiddenInJpeg = Buffer.concat([
      jpeg(1, 1, [segment(0xe0, HTML), segment(0xe1, exif(1)), segment(0xed, PLACE), segment(0xfe, HTML)]),
      HTML,
    ]);
    assert.deepEqual(kept(hiddenInJpeg, 'image/jpeg'), jpeg());
    const hiddenInWebp = webp(2, 2, [
      ['EXIF', PLACE],
      ['XMP ', HTML],
      ['what', HTML],
    ]);
    const clean = kept(Buffer.concat([hiddenInWebp, HTML]), 'image/webp');
    assert.ok(!clean.includes(PLACE) && !clean.includes('<script'));
    assert.equal(clean[20], 0, 'the flags of what was left out');
    assert.equal(clean.readUInt32LE(4), clean.length - 8);
  });

  it('of a phone keeps how it is turned, and nothing else of Exif', () => {
    const clean = kept(jpeg(1, 1, [segment(0xe1, exif(6))]), 'image/jpeg');
    assert.ok(clean.includes('Exif') && !clean.includes(PLACE));
    assert.deepEqual(kept(clean, 'image/jpeg'), clean, 'it is read as it was written');
  });

  it('is told by its content: pages, drawings, archives and parts of images are none', () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
    const gif = Buffer.from('GIF89a\x01\x00\x01\x00/*', 'latin1');
    for (const bytes of [HTML, svg, gif, Buffer.alloc(0), Buffer.from('\xff\xd8\xff\xd9', 'latin1'), Buffer.from('%PDF-1.7')])
      assert.equal(refused(bytes), 'not an image');
    assert.equal(refused(Buffer.concat([HTML, png()])), 'not an image');
    for (const whole of [png(), jpeg(), webp(2, 2)])
      for (let length = 0; length < whole.length; length++)
        assert.equal(refused(whole.subarray(0, length)), 'not an image', `${length} of ${whole.length}`);
  });

  it('does not break its reader, whichever byte is wrong', () => {
    for (const whole of [png(2, 2, [chunk('tEXt', PLACE)]), jpeg(2, 2, [segment(0xe1, exif(6))]), webp(2, 2, [['EXIF', PLACE]])])
      for (let at = 0; at < whole.length; at++)
        for (const value of [0x00, 0xff, 0x7f]) {
          const broken = Buffer.from(whole);
          broken[at] = value;
          const picture = readPicture(broken);
          if ('content' in picture) assert.ok(!picture.content.includes(HTML));
        }
  });

  it('may neither be huge nor become so', () => {
    assert.equal(refused(png(8193, 1)), 'too many pixels');
    assert.equal(refused(jpeg(8000, 8000)), 'too many pixels');
    assert.equal(refused(webp(16_000_000, 16_000_000)), 'too many pixels');
    assert.equal(refused(png(0, 1)), 'not an image');
    const large = Buffer.from([8, 0x1f, 0x40, 0x1f, 0x40, 1, 1, 0x11, 0]);
    assert.equal(refused(jpeg(1, 1, [segment(0xc0, large)])), 'not an image', 'a second size');
    const header = Buffer.from([0, 0, 0x1f, 0x40, 0, 0, 0x1f, 0x40, 8, 2, 0, 0, 0]);
    assert.equal(refused(png(1, 1, [chunk('IHDR', header)])), 'not an image', 'a second size');
    const image = Buffer.from([0x2f, 0xff, 0xff, 0xff, 0x0f, 0]);
    const many = Array.from({ length: 140_000 }, () => ['VP8L', image] as const);
    assert.equal(refused(webp(2, 2, many)), 'too many pixels', 'a second size, very often');
    assert.equal(refused(Buffer.concat([png(), Buffer.alloc(MAX_PICTURE_BYTES)])), 'too large');
    const fill = Buffer.alloc(MAX_PICTURE_BYTES - 100, 0xff);
    fill[0] = 0xd8;
    const began = performance.now();
    readPicture(Buffer.concat([Buffer.from([0xff]), fill]));
    assert.ok(performance.now() - began < 5_000);
  });
});
