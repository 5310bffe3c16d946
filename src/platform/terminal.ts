// Texts of others on a terminal: an escape sequence in one must not reach it, and no text may look like another line.

/** Control characters, line separators, and signs that change the direction of a line. */
export const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

const escaped = (sign: string): string => {
  const code = sign.codePointAt(0)!;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
};

/** In quotation marks, unless that is not wanted. */
export const shown = (text: string, quoted = true): string => (quoted ? JSON.stringify(text) : text).replace(UNSAFE, escaped);
