// Filters (RFC 7644, 3.4.2.2): from text to a tree over places of the schema, and whether a resource matches it.
import { fail } from '../../faults.ts';
import { nameKey } from '../../users/index.ts';
import type { Attribute, Place, Resource, ResourceType } from './attribute.ts';
import { findPlace, findSubAttribute } from './lookup.ts';
import { readBareWord } from './resource.schema.ts';

export type Operator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';
export type FilterValue = string | number | boolean | null;

/** `place: undefined` is an attribute without a value: one the schema does not have, or one nobody may ask for. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly left: Filter; readonly right: Filter }
  | { readonly kind: 'not'; readonly inner: Filter }
  | { readonly kind: 'compare'; readonly place: Place | undefined; readonly operator: Operator; readonly value: FilterValue }
  | { readonly kind: 'present'; readonly place: Place | undefined }
  /** One element that matches; the places of `filter` start at the element. */
  | { readonly kind: 'element'; readonly place: Place; readonly filter: Filter };

type Comparison = Extract<Filter, { kind: 'compare' }>;

const maxLength = 8192;
const maxComparisons = 200;
const maxDepth = 20;

const operators: ReadonlySet<string> = new Set<Operator>(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']);
const isOperator = (word: string): word is Operator => operators.has(word);
const ordering: ReadonlySet<Operator> = new Set<Operator>(['gt', 'ge', 'lt', 'le']);
const within: ReadonlySet<Operator> = new Set<Operator>(['co', 'sw', 'ew']);

const nameLike = /^[A-Za-z_$][\w$:.-]*$/;
const numberLike = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const literals: ReadonlyMap<string, FilterValue> = new Map<string, FilterValue>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

export function parseFilter(type: ResourceType, text: string): Filter {
  return parseWhole(text, { find: (name) => visible(findPlace(type, name)), insideElement: false });
}

/** What stands between the brackets of a path; its places start at the element. */
export function parseElementFilter(attribute: Attribute, text: string): Filter {
  return parseWhole(text, elementScope(attribute));
}

/** Whoever could compare a password could guess it letter by letter. */
function visible(place: Place | undefined): Place | undefined {
  return place?.attributes.some(({ returned }) => returned === 'never') ? undefined : place;
}

interface Scope {
  readonly find: (name: string) => Place | undefined;
  readonly insideElement: boolean;
}

function elementScope(attribute: Attribute | undefined): Scope {
  return {
    insideElement: true,
    find(name) {
      const sub = attribute && findSubAttribute(attribute, name);
      return sub && visible({ keys: [sub.name], attributes: [sub] });
    },
  };
}

const invalid = (why: string): never => fail('scim.invalid_filter', { why });

type Token =
  | { readonly kind: '(' | ')' | '[' | ']' | 'end'; readonly text: string }
  | { readonly kind: 'word' | 'string'; readonly text: string };

const spaces = new Set([' ', '\t', '\n', '\r']);
const isPunctuation = (char: string): char is '(' | ')' | '[' | ']' =>
  char === '(' || char === ')' || char === '[' || char === ']';

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text[at]!;
    if (spaces.has(char)) {
      at += 1;
      continue;
    }
    const end = isPunctuation(char) ? at + 1 : char === '"' ? endOfString(text, at) : endOfWord(text, at);
    const piece = text.slice(at, end);
    if (isPunctuation(char)) tokens.push({ kind: char, text: piece });
    else if (char === '"') tokens.push({ kind: 'string', text: stringOf(piece) });
    else tokens.push({ kind: 'word', text: piece });
    at = end;
  }
  return tokens;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at < text.length ? at + 1 : invalid('a string has no end');
}

function endOfWord(text: string, start: number): number {
  let at = start;
  while (at < text.length && !spaces.has(text[at]!) && !isPunctuation(text[at]!) && text[at] !== '"') at += 1;
  return at;
}

function stringOf(quoted: string): string {
  let value: string;
  try {
    value = JSON.parse(quoted);
  } catch {
    return invalid('a string is not a JSON string');
  }
  // No stored value holds one, and PostgreSQL refuses the whole statement because of it.
  return value.includes('\0') ? invalid('a string holds a NUL character') : value;
}

/** What has been read so far; the only thing that changes while parsing. */
interface Cursor {
  readonly tokens: readonly Token[];
  at: number;
  comparisons: number;
}

const end: Token = { kind: 'end', text: 'the end' };
const peek = (cursor: Cursor): Token => cursor.tokens[cursor.at] ?? end;
const peekIs = (cursor: Cursor, word: string): boolean =>
  peek(cursor).kind === 'word' && peek(cursor).text.toLowerCase() === word;

function next(cursor: Cursor): Token {
  const token = peek(cursor);
  cursor.at += 1;
  return token;
}

function unexpected(token: Token, wanted: string): never {
  return invalid(`${wanted} was expected, not ${token.text.slice(0, 40)}`);
}

function expect(cursor: Cursor, kind: Token['kind']): void {
  const token = next(cursor);
  if (token.kind !== kind) unexpected(token, kind === 'end' ? 'the end' : kind);
}

function parseWhole(text: string, scope: Scope): Filter {
  if (text.length > maxLength) invalid(`it is longer than ${maxLength} characters`);
  const cursor: Cursor = { tokens: tokensOf(text), at: 0, comparisons: 0 };
  const filter = parseOr(cursor, scope, 0);
  expect(cursor, 'end');
  return filter;
}

function parseOr(cursor: Cursor, scope: Scope, depth: number): Filter {
  if (depth > maxDepth) invalid(`it is nested deeper than ${maxDepth} levels`);
  let left = parseAnd(cursor, scope, depth);
  while (peekIs(cursor, 'or')) {
    next(cursor);
    left = { kind: 'or', left, right: parseAnd(cursor, scope, depth) };
  }
  return left;
}

function parseAnd(cursor: Cursor, scope: Scope, depth: number): Filter {
  let left = parseTerm(cursor, scope, depth);
  while (peekIs(cursor, 'and')) {
    next(cursor);
    left = { kind: 'and', left, right: parseTerm(cursor, scope, depth) };
  }
  return left;
}

function parseTerm(cursor: Cursor, scope: Scope, depth: number): Filter {
  const token = next(cursor);
  if (token.kind === '(') return parseGroup(cursor, scope, depth);
  if (token.kind !== 'word') unexpected(token, 'an attribute');
  if (token.text.toLowerCase() === 'not' && peek(cursor).kind === '(') {
    next(cursor);
    return { kind: 'not', inner: parseGroup(cursor, scope, depth) };
  }
  if (!nameLike.test(token.text)) unexpected(token, 'an attribute');
  const place = scope.find(token.text);
  return peek(cursor).kind === '[' ? parseElement(cursor, scope, place, depth) : parseComparison(cursor, place);
}

function parseGroup(cursor: Cursor, scope: Scope, depth: number): Filter {
  const inner = parseOr(cursor, scope, depth + 1);
  expect(cursor, ')');
  return inner;
}

function parseElement(cursor: Cursor, scope: Scope, place: Place | undefined, depth: number): Filter {
  if (scope.insideElement) invalid('brackets cannot stand in brackets');
  next(cursor);
  const inner = elementScope(place?.attributes.at(-1));
  const chosen = parseOr(cursor, inner, depth + 1);
  expect(cursor, ']');
  const filter = parseOfElement(cursor, inner, chosen);
  return place?.attributes.at(-1)?.subAttributes ? { kind: 'element', place, filter } : { kind: 'present', place: undefined };
}

/** Entra's `emails[type eq "work"].value eq "x"`, which the RFC's grammar lacks: one element that matches both. */
function parseOfElement(cursor: Cursor, scope: Scope, chosen: Filter): Filter {
  const { kind, text } = peek(cursor);
  if (kind !== 'word' || !text.startsWith('.')) return chosen;
  const token = next(cursor);
  const name = text.slice(1);
  if (!nameLike.test(name)) unexpected(token, 'a sub-attribute');
  return { kind: 'and', left: chosen, right: parseComparison(cursor, scope.find(name)) };
}

function parseComparison(cursor: Cursor, place: Place | undefined): Filter {
  cursor.comparisons += 1;
  if (cursor.comparisons > maxComparisons) invalid(`it has more than ${maxComparisons} comparisons`);
  const token = next(cursor);
  const operator = token.kind === 'word' ? token.text.toLowerCase() : '';
  if (operator === 'pr') return { kind: 'present', place };
  if (!isOperator(operator)) return unexpected(token, 'an operator');
  const compared = comparedPlace(place);
  const value = readOperand(next(cursor), compared?.attributes.at(-1));
  if (value === null) return compareWithNothing(place, operator);
  checkComparison(compared?.attributes.at(-1), operator, value);
  return { kind: 'compare', place: compared, operator, value };
}

/** A complex attribute is compared by its `value` (RFC 7643, 2.4). */
function comparedPlace(place: Place | undefined): Place | undefined {
  if (!place || place.attributes.length === 2) return place;
  const value = findSubAttribute(place.attributes[0], 'value');
  if (!value) return place;
  return { keys: [...place.keys, value.name], attributes: [place.attributes[0], value] };
}

function compareWithNothing(place: Place | undefined, operator: Operator): Filter {
  if (operator !== 'eq' && operator !== 'ne') invalid(`null cannot be compared with ${operator}`);
  return { kind: 'compare', place, operator, value: null };
}

function readOperand(token: Token, attribute: Attribute | undefined): FilterValue {
  const { kind, text } = token;
  // Entra writes `primary eq "True"`.
  if (kind === 'string') return attribute?.type === 'boolean' ? readBareWord(attribute, text) : text;
  if (kind !== 'word') return unexpected(token, 'a value');
  const literal = literals.get(text);
  if (literal !== undefined) return literal;
  // Where text is compared, a bare 12345 is the word: as a number it would never be equal.
  return numberLike.test(text) && !isText(attribute) ? Number(text) : readBareWord(attribute, text);
}

const isText = (attribute: Attribute | undefined): boolean =>
  attribute?.type === 'string' || attribute?.type === 'reference' || attribute?.type === 'binary';

function checkComparison(attribute: Attribute | undefined, operator: Operator, value: FilterValue): void {
  if (!attribute) return;
  const { type, name } = attribute;
  if (type === 'complex') invalid(`${name} has parts, and only those can be compared`);
  if (!operatorFits(type, operator)) invalid(`${name} cannot be compared with ${operator}`);
  const exact = operator === 'eq' || operator === 'ne';
  if (!exact && typeof value === 'boolean') invalid(`${operator} does not compare with ${value}`);
  if (type === 'boolean' && typeof value !== 'boolean') invalid(`${name} is true or false`);
  if (type === 'dateTime' && !within.has(operator) && Number.isNaN(instantOf(value))) invalid(`${name} is a date and time`);
}

function operatorFits(type: Attribute['type'], operator: Operator): boolean {
  if (type === 'boolean') return operator === 'eq' || operator === 'ne';
  if (type === 'binary') return !ordering.has(operator);
  if (type === 'integer' || type === 'decimal') return !within.has(operator);
  return true;
}

export function matches(filter: Filter, resource: Resource): boolean {
  return holds(filter, resource);
}

function holds(filter: Filter, node: unknown): boolean {
  switch (filter.kind) {
    case 'and':
      return holds(filter.left, node) && holds(filter.right, node);
    case 'or':
      return holds(filter.left, node) || holds(filter.right, node);
    case 'not':
      return !holds(filter.inner, node);
    case 'present':
      return someValue(node, filter.place, isPresent);
    case 'element':
      return someValue(node, filter.place, (element) => holds(filter.filter, element));
    case 'compare':
      return holdsComparison(filter, node);
  }
}

/** Whether a value at a place passes; a multi-valued attribute has many. */
function someValue(node: unknown, place: Place | undefined, passes: (value: unknown) => boolean, at = 0): boolean {
  if (!place || node === undefined || node === null) return false;
  if (Array.isArray(node)) return node.some((element) => someValue(element, place, passes, at));
  if (at === place.keys.length) return passes(node);
  return someValue(ownValue(node, place.keys[at]!), place, passes, at + 1);
}

function ownValue(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

/** Nothing, an empty string, and lists and objects of nothing but those are no value (RFC 7643, 2.5). */
export function isPresent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.values(value).some(isPresent);
}

function holdsComparison(filter: Comparison, node: unknown): boolean {
  const { place, operator, value } = filter;
  if (value === null) return someValue(node, place, isPresent) === (operator === 'ne');
  if (!place) return operator === 'ne';
  const attribute = place.attributes.at(-1)!;
  const wanted = wantedBy(filter, attribute);
  const fits = someValue(node, place, (held) => compare(comparable(attribute, operator, held), operator, wanted));
  return fits !== (operator === 'ne');
}

const wantedBefore = new WeakMap<Comparison, Comparable>();

/** One filter is asked about many resources. */
function wantedBy(filter: Comparison, attribute: Attribute): Comparable {
  let wanted = wantedBefore.get(filter);
  if (wanted === undefined) {
    wanted = comparable(attribute, filter.operator, filter.value);
    wantedBefore.set(filter, wanted);
  }
  return wanted;
}

const ascii = /^[\0-\x7f]*$/;
/** What `nameKey` makes of a text; most have no letter that needs its four passes, and a filter may look at many. */
const fold = (text: string): string => (ascii.test(text) ? text.toLowerCase() : nameKey(text));

const instantOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : Number.NaN);

type Comparable = string | number | boolean | undefined;

/** The form in which values of an attribute are compared; undefined for what is not of its type. */
function comparable({ type, caseExact }: Attribute, operator: Operator, value: unknown): Comparable {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'integer':
    case 'decimal':
      return typeof value === 'number' ? value : undefined;
    case 'dateTime':
      return within.has(operator) && typeof value === 'string' ? value : instantOf(value);
    default:
      if (typeof value !== 'string') return undefined;
      return caseExact ? value : fold(value);
  }
}

/** `ne` asks for an equal value here: that there is none makes it true. */
function compare(held: Comparable, operator: Operator, wanted: Comparable): boolean {
  if (held === undefined || wanted === undefined) return false;
  switch (operator) {
    case 'eq':
    case 'ne':
      return held === wanted;
    case 'gt':
      return held > wanted;
    case 'ge':
      return held >= wanted;
    case 'lt':
      return held < wanted;
    case 'le':
      return held <= wanted;
    case 'co':
      return String(held).includes(String(wanted));
    case 'sw':
      return String(held).startsWith(String(wanted));
    case 'ew':
      return String(held).endsWith(String(wanted));
  }
}
