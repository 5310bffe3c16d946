// The position of the parser in an expression.
import { RegexProblem } from './tree.ts';

export interface Cursor {
  /** One code point each. */
  readonly characters: readonly string[];
  at: number;
  readonly groupNames: Set<string>;
}

export const cursorOf = (text: string): Cursor => ({ characters: [...text], at: 0, groupNames: new Set() });

export const peek = (cursor: Cursor, ahead = 0): string | undefined => cursor.characters[cursor.at + ahead];

export function take(cursor: Cursor): string | undefined {
  const character = peek(cursor);
  if (character !== undefined) cursor.at += 1;
  return character;
}

/** Skips the text if it comes next. */
export function skip(cursor: Cursor, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (peek(cursor, index) !== text[index]) return false;
  cursor.at += text.length;
  return true;
}

/** Takes up to `limit` characters that match. */
export function takeWhile(cursor: Cursor, kind: RegExp, limit = Number.POSITIVE_INFINITY): string {
  const from = cursor.at;
  while (cursor.at - from < limit && kind.test(peek(cursor) ?? '')) cursor.at += 1;
  return cursor.characters.slice(from, cursor.at).join('');
}

/** One character, or a backslash and the character after it. Python does not split these, not even in comments. */
function takeToken(cursor: Cursor): string | undefined {
  const first = take(cursor);
  return first === '\\' ? first + (take(cursor) ?? '') : first;
}

/** Takes everything up to `end`, and skips `end`. */
export function takeUntil(cursor: Cursor, end: string, what: string): string {
  let taken = '';
  for (let token = takeToken(cursor); token !== end; token = takeToken(cursor)) {
    if (token === undefined) throw problem(cursor, `${what} has no end`);
    taken += token;
  }
  return taken;
}

/** Skips a comment if one comes next. */
export function skipComment(cursor: Cursor): boolean {
  if (!skip(cursor, '(?#')) return false;
  takeUntil(cursor, ')', 'a comment');
  return true;
}

const SPACES = /^[ \t\n\r\v\f]$/;

/** Skips spaces and comments of verbose expressions. True if there were any. */
export function skipSpaces(cursor: Cursor): boolean {
  const from = cursor.at;
  takeWhile(cursor, SPACES);
  while (skip(cursor, '#')) {
    for (let token = takeToken(cursor); token !== undefined && token !== '\n'; ) token = takeToken(cursor);
    takeWhile(cursor, SPACES);
  }
  return cursor.at > from;
}

export const problem = (cursor: Cursor, why: string): RegexProblem =>
  new RegexProblem(`the regular expression cannot be used: ${why} (at character ${cursor.at})`);
