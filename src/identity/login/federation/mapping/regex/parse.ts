// Parses a regular expression in Python's syntax. The order of the checks is that of Python's own parser.

import { caret, dollar } from './anchors.ts';
import { type Cursor, cursorOf, peek, problem, skip, skipComment, skipSpaces, take, takeUntil, takeWhile } from './cursor.ts';
import { readEscape, readSetEscape } from './escapes.ts';
import { leadingFlags, readFlags } from './flags.ts';
import { dot, type Flags, literal, type SetItem, set } from './sets.ts';
import { type Node, widthOf } from './tree.ts';

const MAX_LENGTH = 4096;
const MAX_DEPTH = 100;
const DIGIT = /^[0-9]$/;
const IDENTIFIER = /^[\p{XID_Start}_]\p{XID_Continue}*$/u;

export function parse(text: string): Node {
  const cursor = cursorOf(text);
  if (cursor.characters.length > MAX_LENGTH) throw problem(cursor, `it is longer than ${MAX_LENGTH} characters`);
  const node = alternation(cursor, leadingFlags(cursor), 0);
  if (peek(cursor) !== undefined) throw problem(cursor, 'there is a closing parenthesis without an opening one');
  return node;
}

function alternation(cursor: Cursor, flags: Flags, depth: number): Node {
  if (depth > MAX_DEPTH) throw problem(cursor, `groups are nested deeper than ${MAX_DEPTH}`);
  const options = [sequence(cursor, flags, depth)];
  while (skip(cursor, '|')) options.push(sequence(cursor, flags, depth));
  return options.length === 1 ? options[0]! : { kind: 'alternation', options };
}

function sequence(cursor: Cursor, flags: Flags, depth: number): Node {
  const nodes: Node[] = [];
  for (let next = peek(cursor); next !== undefined && next !== '|' && next !== ')'; next = peek(cursor)) {
    if ((flags.verbose && skipSpaces(cursor)) || skipComment(cursor)) continue;
    const times = quantifier(cursor);
    if (times) nodes.push(repeat(cursor, nodes.pop(), times));
    else nodes.push(single(cursor, flags, depth));
  }
  return { kind: 'sequence', nodes };
}

function single(cursor: Cursor, flags: Flags, depth: number): Node {
  const character = take(cursor)!;
  switch (character) {
    case '\\':
      return readEscape(cursor, flags);
    case '[':
      return { kind: 'character', test: characterSet(cursor, flags) };
    case '(':
      return group(cursor, flags, depth);
    case '.':
      return { kind: 'character', test: dot(flags) };
    case '^':
      return { kind: 'anchor', test: caret(flags) };
    case '$':
      return { kind: 'anchor', test: dollar(flags) };
    default:
      return { kind: 'character', test: literal(character.codePointAt(0)!, flags) };
  }
}

interface Quantifier {
  readonly min: number;
  readonly max: number;
}

/** The quantifier, if one comes next. Braces with other content are literal characters. */
function quantifier(cursor: Cursor): Quantifier | undefined {
  const unbounded = Number.POSITIVE_INFINITY;
  if (skip(cursor, '*')) return { min: 0, max: unbounded };
  if (skip(cursor, '+')) return { min: 1, max: unbounded };
  if (skip(cursor, '?')) return { min: 0, max: 1 };
  const from = cursor.at;
  if (!skip(cursor, '{') || peek(cursor) === '}') {
    cursor.at = from;
    return undefined;
  }
  const low = takeWhile(cursor, DIGIT);
  const high = skip(cursor, ',') ? takeWhile(cursor, DIGIT) : low;
  if (!skip(cursor, '}')) {
    cursor.at = from;
    return undefined;
  }
  const [min, max] = [low === '' ? 0 : Number(low), high === '' ? unbounded : Number(high)];
  if (max < min) throw problem(cursor, `it repeats at least ${low} but at most ${high} times`);
  return { min, max };
}

function repeat(cursor: Cursor, node: Node | undefined, { min, max }: Quantifier): Node {
  if (node === undefined || node.kind === 'anchor') throw problem(cursor, 'there is nothing to repeat');
  if (node.kind === 'repeat') throw problem(cursor, 'a quantifier follows another one');
  // A lazy quantifier finds a match if and only if a greedy one does.
  if (!skip(cursor, '?') && skip(cursor, '+')) throw problem(cursor, 'possessive quantifiers are not supported');
  return { kind: 'repeat', node, min, max };
}

function characterSet(cursor: Cursor, flags: Flags): ReturnType<typeof set> {
  const negative = skip(cursor, '^');
  const items: SetItem[] = [];
  // A closing bracket at the start of a set is a literal.
  while (items.length === 0 || !skip(cursor, ']')) {
    const from = setItem(cursor, flags);
    if (peek(cursor) !== '-' || peek(cursor, 1) === ']') items.push(from);
    else {
      take(cursor);
      items.push(range(cursor, from, setItem(cursor, flags)));
    }
  }
  return set(items, negative, flags);
}

function setItem(cursor: Cursor, flags: Flags): SetItem {
  const character = take(cursor);
  if (character === undefined) throw problem(cursor, 'a set has no closing bracket');
  if (character === '\\') return readSetEscape(cursor, flags);
  const code = character.codePointAt(0)!;
  return { from: code, to: code };
}

function range(cursor: Cursor, first: SetItem, last: SetItem): SetItem {
  if ('category' in first || 'category' in last || last.to < first.from) throw problem(cursor, 'a range in a set is invalid');
  return { from: first.from, to: last.to };
}

function group(cursor: Cursor, flags: Flags, depth: number): Node {
  if (!skip(cursor, '?')) return closed(cursor, alternation(cursor, flags, depth + 1));
  if (skip(cursor, ':')) return closed(cursor, alternation(cursor, flags, depth + 1));
  if (skip(cursor, 'P<')) {
    groupName(cursor);
    return closed(cursor, alternation(cursor, flags, depth + 1));
  }
  for (const [mark, negative] of [
    ['=', false],
    ['!', true],
  ] as const) {
    if (skip(cursor, mark)) return lookaround(cursor, flags, depth, negative, false);
    if (skip(cursor, `<${mark}`)) return lookaround(cursor, flags, depth, negative, true);
  }
  refuseUnsupported(cursor);
  const { flags: inner, isWhole } = readFlags(cursor, flags);
  if (isWhole) throw problem(cursor, 'flags for the whole expression must be at its start');
  return closed(cursor, alternation(cursor, inner, depth + 1));
}

function closed(cursor: Cursor, node: Node): Node {
  if (!skip(cursor, ')')) throw problem(cursor, 'a parenthesis is not closed');
  return { kind: 'group', node };
}

function lookaround(cursor: Cursor, flags: Flags, depth: number, negative: boolean, isBehind: boolean): Node {
  const node = closed(cursor, alternation(cursor, flags, depth + 1));
  if (!isBehind) return { kind: 'lookaround', node, negative, behind: undefined };
  const [min, max] = widthOf(node);
  if (min !== max) throw problem(cursor, 'a lookbehind must have a fixed width');
  return { kind: 'lookaround', node, negative, behind: min };
}

function groupName(cursor: Cursor): void {
  const name = takeUntil(cursor, '>', 'the name of a group');
  if (!IDENTIFIER.test(name)) throw problem(cursor, 'the name of a group is not an identifier');
  if (cursor.groupNames.has(name)) throw problem(cursor, 'two groups have the same name');
  cursor.groupNames.add(name);
}

function refuseUnsupported(cursor: Cursor): void {
  if (peek(cursor) === 'P' && peek(cursor, 1) === '=') throw problem(cursor, 'back-references are not supported');
  if (peek(cursor) === '(') throw problem(cursor, 'conditional groups are not supported');
  if (peek(cursor) === '>') throw problem(cursor, 'atomic groups are not supported');
}
