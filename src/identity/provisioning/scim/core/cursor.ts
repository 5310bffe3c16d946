// Cursors of RFC 9865: the position where a page ended, opaque to clients.
import { fail } from '../../../ground/faults.ts';

export interface Position {
  readonly name: string;
  readonly id: string;
}

const write = (position: readonly (string | number)[]): string => Buffer.from(JSON.stringify(position)).toString('base64url');

function read(text: string): readonly unknown[] {
  try {
    const position: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(position) ? position : [];
  } catch {
    return [];
  }
}

/** PostgreSQL rejects a statement that contains a NUL. */
const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');

export const writeCursor = ({ name, id }: Position): string => write([name, id]);

/** Undefined for the first page. A forged cursor only moves within the list the caller may read anyway. */
export function readCursor(text: string): Position | undefined {
  if (text === '') return undefined;
  const [name, id] = read(text);
  if (!isText(name) || !isText(id)) fail('scim.invalid_cursor');
  return { name, id };
}

/** Lists sorted by the client continue at an offset. */
export const writeOffset = (offset: number): string => write([offset]);

export function readOffset(text: string): number {
  if (text === '') return 0;
  const [offset] = read(text);
  if (typeof offset !== 'number' || !Number.isSafeInteger(offset) || offset < 0) fail('scim.invalid_cursor');
  return offset;
}
