// Pictures that people choose from a file: which ones the service takes, and how they are sent.
import { words } from './words/index.ts';

export const PICTURE_TYPES = ['image/png', 'image/jpeg', 'image/webp'];
const MAX_BYTES = 64 * 1024;

export function problemOfPicture(file: File | undefined): string | undefined {
  const { applications } = words;
  if (!file) return undefined;
  if (!PICTURE_TYPES.includes(file.type)) return applications.logoWrongType;
  return file.size > MAX_BYTES ? applications.logoTooLarge : undefined;
}

export const base64Of = async (file: File): Promise<string> =>
  btoa(Array.from(new Uint8Array(await file.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(''));
