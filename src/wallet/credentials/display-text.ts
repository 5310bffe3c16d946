// Texts of issuers and verifiers that people read.

/** Control characters, those that change the direction of the text around them, and those that nobody sees. */
const INVISIBLE = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
/** So many marks on one letter are in no writing: they would cover the lines around it. */
const PILED_MARKS = /(\p{M}{4})\p{M}+/gu;

/** Undefined if nothing of it can be displayed. */
export function displayText(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  // It may be as long as an answer may be. The work is for the part that can be left in the end.
  const start = value
    .slice(0, 10 * maxLength)
    .replace(INVISIBLE, ' ')
    .replace(PILED_MARKS, '$1');
  return start.trim().slice(0, maxLength).toWellFormed() || undefined;
}
