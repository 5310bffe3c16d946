// Texts for terminals. Names come from files and from services: an escape sequence in one must not reach the terminal.
import { shown, UNSAFE } from '../platform/terminal.ts';

export { shown };

/** Something that the operator can mend. The message is complete. */
export class SetupError extends Error {}

/** The same, but for line breaks, which separate the lines of a document. */
const UNSAFE_IN_DOCUMENTS = new RegExp(`(?!\\n)${UNSAFE.source}`, 'gu');
const unit = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`;

export const isUnsafe = (text: string): boolean => text.search(UNSAFE_IN_DOCUMENTS) >= 0;

/** JSON that can be shown on a terminal. It has such signs in strings only, where they can be escaped. */
export const safeJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(UNSAFE_IN_DOCUMENTS, (sign) =>
    Array.from({ length: sign.length }, (_, index) => unit(sign.charCodeAt(index))).join(''),
  );

/** YAML whose unsafe strings are in quotation marks. */
export const safeYaml = (text: string): string =>
  text.replace(UNSAFE_IN_DOCUMENTS, (sign) => {
    const code = sign.codePointAt(0)!;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : unit(code);
  });

const MAX_SHOWN = 200;

/** A value on one line, shortened. */
export function shownValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = shown(JSON.stringify(value), false);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
