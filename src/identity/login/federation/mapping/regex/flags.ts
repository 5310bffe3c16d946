// Inline flags: (?i) for the whole expression, (?i-s:...) for a part.
import { type Cursor, peek, problem, skip, skipComment, skipSpaces, takeWhile } from './cursor.ts';
import type { Flags } from './sets.ts';

const NONE: Flags = { ignoreCase: false, multiline: false, dotAll: false, verbose: false, ascii: false };
const LETTERS = /^[a-zA-Z]$/;
const FLAG = /^[aimsuxL]$/;
const NAMES: ReadonlyMap<string, keyof Flags> = new Map([
  ['i', 'ignoreCase'],
  ['m', 'multiline'],
  ['s', 'dotAll'],
  ['x', 'verbose'],
  ['a', 'ascii'],
]);
/** These choose the alphabet of \w, \d and \s. `u`, Unicode, is the default; `L` is only for bytes. */
const ALPHABETS = new Set(['a', 'u', 'L']);

function checked(cursor: Cursor, letters: string): string {
  for (const letter of letters) {
    if (letter === 'L') throw problem(cursor, 'the flag L is for bytes');
    if (letter !== 'u' && !NAMES.has(letter)) throw problem(cursor, `there is no flag ${letter}`);
  }
  if (letters.includes('a') && letters.includes('u')) throw problem(cursor, 'the flags a and u exclude each other');
  return letters;
}

function withFlags(flags: Flags, on: string, off: string): Flags {
  const changed: Record<keyof Flags, boolean> = { ...flags };
  if (on.includes('u')) changed.ascii = false;
  for (const letter of on) if (letter !== 'u') changed[NAMES.get(letter)!] = true;
  for (const letter of off) changed[NAMES.get(letter)!] = false;
  return changed;
}

/** Reads what follows `(?`, with the colon or closing parenthesis after it. */
export function readFlags(cursor: Cursor, flags: Flags): { readonly flags: Flags; readonly isWhole: boolean } {
  const on = checked(cursor, takeWhile(cursor, LETTERS));
  const hasMinus = skip(cursor, '-');
  const off = hasMinus ? checked(cursor, takeWhile(cursor, LETTERS)) : '';
  if (on === '' && off === '') throw problem(cursor, '(? is followed by something unknown');
  if (hasMinus && off === '') throw problem(cursor, 'there is no flag after the minus');
  if ([...off].some((letter) => ALPHABETS.has(letter))) throw problem(cursor, 'the flags a and u cannot be turned off');
  if ([...off].some((letter) => on.includes(letter))) throw problem(cursor, 'a flag is turned on and off');
  const isWhole = !hasMinus && skip(cursor, ')');
  if (!isWhole && !skip(cursor, ':')) throw problem(cursor, 'flags must end with a colon or a parenthesis');
  return { flags: withFlags(flags, on, off), isWhole };
}

/** Flags of the whole expression. Only comments may come before them. */
export function leadingFlags(cursor: Cursor): Flags {
  let flags = NONE;
  let letters = '';
  for (;;) {
    if (flags.verbose) skipSpaces(cursor);
    if (skipComment(cursor)) continue;
    const from = cursor.at;
    const isFlags = skip(cursor, '(?') && FLAG.test(peek(cursor) ?? '');
    const read = isFlags ? readFlags(cursor, flags) : undefined;
    if (!read?.isWhole) {
      cursor.at = from;
      return flags;
    }
    // Also finds letters in two groups that exclude each other.
    letters = checked(cursor, letters + cursor.characters.slice(from + 2, cursor.at - 1).join(''));
    flags = read.flags;
  }
}
