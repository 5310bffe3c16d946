// Escapes in Python's regular expressions, outside and inside of sets.

import { boundary, textEnd, textStart } from './anchors.ts';
import { digit, not, space, word } from './characters.ts';
import { type Cursor, peek, problem, skip, take, takeWhile } from './cursor.ts';
import { type Flags, literal, type SetItem, set } from './sets.ts';
import type { Node } from './tree.ts';

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['a', 7],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
  ['v', 11],
]);
const HEX_LENGTHS: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);
const HEX = /^[0-9a-fA-F]$/;
const OCTAL = /^[0-7]$/;
const DIGIT = /^[0-9]$/;
const LETTER = /^[A-Za-z]$/;
const LAST_CODE_POINT = 0x10ffff;
const LAST_OCTAL = 0o377;

function category(letter: string, { ascii }: Flags): SetItem | undefined {
  const makers = { d: digit, s: space, w: word };
  const small = letter.toLowerCase();
  if (small !== 'd' && small !== 's' && small !== 'w') return undefined;
  const inner = makers[small](ascii);
  return { category: letter === small ? inner : not(inner), letter };
}

function afterBackslash(cursor: Cursor): string {
  return take(cursor) ?? fail(cursor, 'it ends with a backslash');
}

function fail(cursor: Cursor, why: string): never {
  throw problem(cursor, why);
}

/** Escapes that mean the same outside and inside of sets. */
function codeOf(cursor: Cursor, letter: string): number {
  const length = HEX_LENGTHS.get(letter);
  if (length !== undefined) return hexadecimal(cursor, letter, length);
  const control = CONTROLS.get(letter);
  if (control !== undefined) return control;
  if (letter === 'N') fail(cursor, 'character names (\\N) are not supported');
  if (LETTER.test(letter)) fail(cursor, `\\${letter} is not an escape`);
  return letter.codePointAt(0)!;
}

function hexadecimal(cursor: Cursor, letter: string, length: number): number {
  const digits = takeWhile(cursor, HEX, length);
  if (digits.length < length) fail(cursor, `\\${letter} needs ${length} hexadecimal digits`);
  const code = Number.parseInt(digits, 16);
  return code > LAST_CODE_POINT ? fail(cursor, `there is no character ${digits}`) : code;
}

function octal(cursor: Cursor, digits: string): number {
  const code = Number.parseInt(digits, 8);
  return code > LAST_OCTAL ? fail(cursor, `\\${digits} is greater than \\377`) : code;
}

/** An escape inside of a set. */
export function readSetEscape(cursor: Cursor, flags: Flags): SetItem {
  const letter = afterBackslash(cursor);
  const item = category(letter, flags);
  if (item) return item;
  const code = setCode(cursor, letter);
  return { from: code, to: code };
}

function setCode(cursor: Cursor, letter: string): number {
  if (letter === 'b') return 8;
  if (OCTAL.test(letter)) return octal(cursor, letter + takeWhile(cursor, OCTAL, 2));
  if (DIGIT.test(letter)) fail(cursor, `\\${letter} is not an escape in a set`);
  return codeOf(cursor, letter);
}

/** An escape outside of a set. */
export function readEscape(cursor: Cursor, flags: Flags): Node {
  const letter = afterBackslash(cursor);
  switch (letter) {
    case 'A':
      return { kind: 'anchor', test: textStart };
    // Python 3.14 added \z, which means the same.
    case 'Z':
    case 'z':
      return { kind: 'anchor', test: textEnd };
    case 'b':
      return { kind: 'anchor', test: boundary(flags, true) };
    case 'B':
      return { kind: 'anchor', test: boundary(flags, false) };
  }
  const item = category(letter, flags);
  if (item) return { kind: 'character', test: set([item], false, flags) };
  const code = DIGIT.test(letter) ? numberCode(cursor, letter) : codeOf(cursor, letter);
  return { kind: 'character', test: literal(code, flags) };
}

/** \0 with up to two more digits, or three octal digits, are a character. All other numbers are back-references. */
function numberCode(cursor: Cursor, first: string): number {
  if (first === '0') return octal(cursor, first + takeWhile(cursor, OCTAL, 2));
  const digits = first + (peek(cursor) ?? '') + (peek(cursor, 1) ?? '');
  if (!/^[0-7]{3}$/.test(digits)) fail(cursor, 'back-references are not supported, because searching for them can take too long');
  skip(cursor, digits.slice(1));
  return octal(cursor, digits);
}
