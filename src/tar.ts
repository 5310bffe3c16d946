// A tar file (POSIX ustar), as much of it as a backup needs: plain files, written and read as streams, so that size does not matter.
import type { FileHandle } from 'node:fs/promises';

const BLOCK = 512;
const CHUNK = 1024 * 1024;

export interface TarEntry {
  readonly name: string;
  readonly size: number;
}

function number(value: number, length: number): string {
  return `${value.toString(8).padStart(length - 1, '0')}\0`;
}

/** Eleven octal digits end at 8 GiB; beyond, the field is binary, as every tar of today reads it. */
function writeSize(header: Buffer, size: number): void {
  if (size < 0o77777777777) header.write(number(size, 12), 124);
  else {
    header[124] = 0x80;
    header.writeBigUInt64BE(BigInt(size), 128);
  }
}

const readSize = (header: Buffer): number =>
  header[124] === 0x80 ? Number(header.readBigUInt64BE(128)) : Number.parseInt(header.toString('latin1', 124, 135), 8);

function sumOf(header: Buffer): number {
  const copy = Buffer.from(header);
  copy.fill(' ', 148, 156);
  return copy.reduce((sum, byte) => sum + byte, 0);
}

function headerOf({ name, size }: TarEntry, seconds: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100);
  header.write(number(0o600, 8), 100);
  header.write(number(0, 8), 108);
  header.write(number(0, 8), 116);
  writeSize(header, size);
  header.write(number(seconds, 12), 136);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;

export async function writeEntry(
  out: FileHandle,
  entry: TarEntry,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  seconds: number,
): Promise<void> {
  await out.write(headerOf(entry, seconds));
  let written = 0;
  for await (const chunk of chunks) {
    await out.write(chunk);
    written += chunk.length;
  }
  if (written !== entry.size) throw new Error(`${entry.name} changed while it was copied`);
  await out.write(Buffer.alloc(padding(entry.size)));
}

export async function writeEnd(out: FileHandle): Promise<void> {
  await out.write(Buffer.alloc(2 * BLOCK));
}

async function readExactly(file: FileHandle, length: number, position: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  if (bytesRead !== length) throw new Error('the file ends too early');
  return buffer;
}

/** Each entry with its content; whoever takes an entry reads it before asking for the next. */
export async function* readEntries(
  file: FileHandle,
): AsyncGenerator<TarEntry & { readonly content: () => AsyncGenerator<Buffer> }> {
  for (let at = 0; ; ) {
    const header = await readExactly(file, BLOCK, at);
    if (header.every((byte) => byte === 0)) return;
    if (Number.parseInt(header.toString('latin1', 148, 154), 8) !== sumOf(header))
      throw new Error('it is not a backup, or it is damaged');
    const name = header.toString('utf8', 0, 100).replace(/\0.*$/s, '');
    const size = readSize(header);
    const start = at + BLOCK;
    yield {
      name,
      size,
      async *content() {
        for (let done = 0; done < size; done += CHUNK) yield await readExactly(file, Math.min(CHUNK, size - done), start + done);
      },
    };
    at = start + size + padding(size);
  }
}
