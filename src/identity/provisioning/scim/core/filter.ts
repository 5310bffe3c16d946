// Filters (RFC 7644, 3.4.2.2): parsed into a tree over attribute paths, and matched against resources.

import { nameKey } from '../../../directory/users/index.ts';
import { fail } from '../../../ground/faults.ts';
import type { Attribute, AttributePath, Resource, ResourceType } from './attribute.ts';
import { findAttributePath, findSubAttribute } from './lookup.ts';
import { readBareWord } from './resource.schema.ts';

export type Operator = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';
export type FilterValue = string | number | boolean | null;

/** `attributePath: undefined` stands for an attribute without a value: unknown to the schema, or never returned. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly left: Filter; readonly right: Filter }
  | { readonly kind: 'not'; readonly inner: Filter }
  | {
      readonly kind: 'compare';
      readonly attributePath: AttributePath | undefined;
      readonly operator: Operator;
      readonly value: FilterValue;
    }
  | { readonly kind: 'present'; readonly attributePath: AttributePath | undefined }
  /** One element matches; the paths in `filter` are relative to the element. */
  | { readonly kind: 'element'; readonly attributePath: AttributePath; readonly filter: Filter };

type ComparisonFilter = Extract<Filter, { kind: 'compare' }>;

const maxLength = 8192;
const maxComparisons = 200;
const maxDepth = 20;

const operators: ReadonlySet<string> = new Set<Operator>(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']);
const isOperator = (word: string): word is Operator => operators.has(word);
const orderingOperators: ReadonlySet<Operator> = new Set<Operator>(['gt', 'ge', 'lt', 'le']);
const substringOperators: ReadonlySet<Operator> = new Set<Operator>(['co', 'sw', 'ew']);

const nameLike = /^[A-Za-z_$][\w$:.-]*$/;
const numberLike = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const literals: ReadonlyMap<string, FilterValue> = new Map<string, FilterValue>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

export function parseFilter(type: ResourceType, text: string): Filter {
  return parseWhole(text, { find: (name) => unlessHidden(findAttributePath(type, name)), insideElement: false });
}

/** The filter in the brackets of a path; its paths are relative to the element. */
export function parseElementFilter(attribute: Attribute, text: string): Filter {
  return parseWhole(text, elementScope(attribute));
}

/** Comparing a password would allow guessing it letter by letter. */
function unlessHidden(attributePath: AttributePath | undefined): AttributePath | undefined {
  return attributePath?.attributes.some(({ returned }) => returned === 'never') ? undefined : attributePath;
}

interface AttributeScope {
  readonly find: (name: string) => AttributePath | undefined;
  readonly insideElement: boolean;
}

function elementScope(attribute: Attribute | undefined): AttributeScope {
  return {
    insideElement: true,
    find(name) {
      const sub = attribute && findSubAttribute(attribute, name);
      return sub && unlessHidden({ keys: [sub.name], attributes: [sub] });
    },
  };
}

const invalid = (why: string): never => fail('scim.invalid_filter', { why });

type FilterToken =
  | { readonly kind: '(' | ')' | '[' | ']' | 'end'; readonly text: string }
  | { readonly kind: 'word' | 'string'; readonly text: string };

const spaces = new Set([' ', '\t', '\n', '\r']);
const isPunctuation = (char: string): char is '(' | ')' | '[' | ']' =>
  char === '(' || char === ')' || char === '[' || char === ']';

function tokensOf(text: string): FilterToken[] {
  const tokens: FilterToken[] = [];
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
  // No stored value contains one, and PostgreSQL rejects the statement.
  return value.includes('\0') ? invalid('a string holds a NUL character') : value;
}

/** The position of the parser; the only mutable state. */
interface TokenCursor {
  readonly tokens: readonly FilterToken[];
  at: number;
  comparisons: number;
}

const end: FilterToken = { kind: 'end', text: 'the end' };
const peek = (cursor: TokenCursor): FilterToken => cursor.tokens[cursor.at] ?? end;
const peekIs = (cursor: TokenCursor, word: string): boolean =>
  peek(cursor).kind === 'word' && peek(cursor).text.toLowerCase() === word;

function next(cursor: TokenCursor): FilterToken {
  const token = peek(cursor);
  cursor.at += 1;
  return token;
}

function unexpected(token: FilterToken, expected: string): never {
  return invalid(`${expected} was expected, not ${token === end ? end.text : JSON.stringify(token.text.slice(0, 40))}`);
}

function expect(cursor: TokenCursor, kind: FilterToken['kind']): void {
  const token = next(cursor);
  if (token.kind !== kind) unexpected(token, kind === 'end' ? 'the end' : kind);
}

function parseWhole(text: string, scope: AttributeScope): Filter {
  if (text.length > maxLength) invalid(`it is longer than ${maxLength} characters`);
  const cursor: TokenCursor = { tokens: tokensOf(text), at: 0, comparisons: 0 };
  const filter = parseOr(cursor, scope, 0);
  expect(cursor, 'end');
  return filter;
}

function parseOr(cursor: TokenCursor, scope: AttributeScope, depth: number): Filter {
  if (depth > maxDepth) invalid(`it is nested deeper than ${maxDepth} levels`);
  let left = parseAnd(cursor, scope, depth);
  while (peekIs(cursor, 'or')) {
    next(cursor);
    left = { kind: 'or', left, right: parseAnd(cursor, scope, depth) };
  }
  return left;
}

function parseAnd(cursor: TokenCursor, scope: AttributeScope, depth: number): Filter {
  let left = parseTerm(cursor, scope, depth);
  while (peekIs(cursor, 'and')) {
    next(cursor);
    left = { kind: 'and', left, right: parseTerm(cursor, scope, depth) };
  }
  return left;
}

function parseTerm(cursor: TokenCursor, scope: AttributeScope, depth: number): Filter {
  const token = next(cursor);
  if (token.kind === '(') return parseGroup(cursor, scope, depth);
  if (token.kind !== 'word') unexpected(token, 'an attribute');
  if (token.text.toLowerCase() === 'not' && peek(cursor).kind === '(') {
    next(cursor);
    return { kind: 'not', inner: parseGroup(cursor, scope, depth) };
  }
  if (!nameLike.test(token.text)) unexpected(token, 'an attribute');
  const attributePath = scope.find(token.text);
  return peek(cursor).kind === '[' ? parseElement(cursor, scope, attributePath, depth) : parseComparison(cursor, attributePath);
}

function parseGroup(cursor: TokenCursor, scope: AttributeScope, depth: number): Filter {
  const inner = parseOr(cursor, scope, depth + 1);
  expect(cursor, ')');
  return inner;
}

function parseElement(
  cursor: TokenCursor,
  scope: AttributeScope,
  attributePath: AttributePath | undefined,
  depth: number,
): Filter {
  if (scope.insideElement) invalid('brackets cannot stand in brackets');
  next(cursor);
  const inner = elementScope(attributePath?.attributes.at(-1));
  const chosen = parseOr(cursor, inner, depth + 1);
  expect(cursor, ']');
  const filter = parseElementSuffix(cursor, inner, chosen);
  return attributePath?.attributes.at(-1)?.subAttributes
    ? { kind: 'element', attributePath, filter }
    : { kind: 'present', attributePath: undefined };
}

/** Entra's `emails[type eq "work"].value eq "x"`, which the RFC's grammar lacks: one element must match both. */
function parseElementSuffix(cursor: TokenCursor, scope: AttributeScope, chosen: Filter): Filter {
  const { kind, text } = peek(cursor);
  if (kind !== 'word' || !text.startsWith('.')) return chosen;
  const token = next(cursor);
  const name = text.slice(1);
  if (!nameLike.test(name)) unexpected(token, 'a sub-attribute');
  return { kind: 'and', left: chosen, right: parseComparison(cursor, scope.find(name)) };
}

function parseComparison(cursor: TokenCursor, attributePath: AttributePath | undefined): Filter {
  cursor.comparisons += 1;
  if (cursor.comparisons > maxComparisons) invalid(`it has more than ${maxComparisons} comparisons`);
  const token = next(cursor);
  const operator = token.kind === 'word' ? token.text.toLowerCase() : '';
  if (operator === 'pr') return { kind: 'present', attributePath };
  if (!isOperator(operator)) return unexpected(token, 'an operator');
  const compared = comparedPath(attributePath);
  const value = readOperand(next(cursor), compared?.attributes.at(-1));
  if (value === null) return compareWithNull(attributePath, operator);
  checkComparison(compared?.attributes.at(-1), operator, value);
  return { kind: 'compare', attributePath: compared, operator, value };
}

/** A complex attribute is compared by its `value` (RFC 7643, 2.4). */
function comparedPath(attributePath: AttributePath | undefined): AttributePath | undefined {
  if (!attributePath || attributePath.attributes.length === 2) return attributePath;
  const value = findSubAttribute(attributePath.attributes[0], 'value');
  if (!value) return attributePath;
  return { keys: [...attributePath.keys, value.name], attributes: [attributePath.attributes[0], value] };
}

function compareWithNull(attributePath: AttributePath | undefined, operator: Operator): Filter {
  if (operator !== 'eq' && operator !== 'ne') invalid(`null cannot be compared with ${operator}`);
  return { kind: 'compare', attributePath, operator, value: null };
}

function readOperand(token: FilterToken, attribute: Attribute | undefined): FilterValue {
  const { kind, text } = token;
  // Entra writes `primary eq "True"`.
  if (kind === 'string') return attribute?.type === 'boolean' ? readBareWord(attribute, text) : text;
  if (kind !== 'word') return unexpected(token, 'a value');
  const literal = literals.get(text);
  if (literal !== undefined) return literal;
  // For a text attribute, a bare 12345 is text: as a number it would never be equal.
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
  if (type === 'dateTime' && !substringOperators.has(operator) && Number.isNaN(instantOf(value)))
    invalid(`${name} is a date and time`);
}

function operatorFits(type: Attribute['type'], operator: Operator): boolean {
  if (type === 'boolean') return operator === 'eq' || operator === 'ne';
  if (type === 'binary') return !orderingOperators.has(operator);
  if (type === 'integer' || type === 'decimal') return !substringOperators.has(operator);
  return true;
}

export function matches(filter: Filter, resource: Resource): boolean {
  return matchesNode(filter, resource);
}

function matchesNode(filter: Filter, node: unknown): boolean {
  switch (filter.kind) {
    case 'and':
      return matchesNode(filter.left, node) && matchesNode(filter.right, node);
    case 'or':
      return matchesNode(filter.left, node) || matchesNode(filter.right, node);
    case 'not':
      return !matchesNode(filter.inner, node);
    case 'present':
      return someValue(node, filter.attributePath, isPresent);
    case 'element':
      return someValue(node, filter.attributePath, (element) => matchesNode(filter.filter, element));
    case 'compare':
      return matchesComparison(filter, node);
  }
}

/** Whether any value at a path passes; a multi-valued attribute has many. */
function someValue(
  node: unknown,
  attributePath: AttributePath | undefined,
  passes: (value: unknown) => boolean,
  at = 0,
): boolean {
  if (!attributePath || node === undefined || node === null) return false;
  if (Array.isArray(node)) return node.some((element) => someValue(element, attributePath, passes, at));
  if (at === attributePath.keys.length) return passes(node);
  return someValue(ownValue(node, attributePath.keys[at]!), attributePath, passes, at + 1);
}

function ownValue(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

/** Null, an empty string, and lists and objects of only those count as no value (RFC 7643, 2.5). */
export function isPresent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return typeof value !== 'object' || Object.values(value).some(isPresent);
}

function matchesComparison(filter: ComparisonFilter, node: unknown): boolean {
  const { attributePath, operator, value } = filter;
  if (value === null) return someValue(node, attributePath, isPresent) === (operator === 'ne');
  if (!attributePath) return operator === 'ne';
  const attribute = attributePath.attributes.at(-1)!;
  const operand = operandOf(filter, attribute);
  const fits = someValue(node, attributePath, (actual) => compare(comparable(attribute, operator, actual), operator, operand));
  return fits !== (operator === 'ne');
}

const operandCache = new WeakMap<ComparisonFilter, Comparable>();

/** Cached, because one filter is matched against many resources. */
function operandOf(filter: ComparisonFilter, attribute: Attribute): Comparable {
  let operand = operandCache.get(filter);
  if (operand === undefined) {
    operand = comparable(attribute, filter.operator, filter.value);
    operandCache.set(filter, operand);
  }
  return operand;
}

const ascii = /^[\0-\x7f]*$/;
/** `nameKey`, with a fast path for ASCII: a filter may compare many values. */
const fold = (text: string): string => (ascii.test(text) ? text.toLowerCase() : nameKey(text));

const instantOf = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : Number.NaN);

type Comparable = string | number | boolean | undefined;

/** The value in comparable form; undefined when it has the wrong type. */
function comparable({ type, caseExact }: Attribute, operator: Operator, value: unknown): Comparable {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'integer':
    case 'decimal':
      return typeof value === 'number' ? value : undefined;
    case 'dateTime':
      return substringOperators.has(operator) && typeof value === 'string' ? value : instantOf(value);
    default:
      if (typeof value !== 'string') return undefined;
      return caseExact ? value : fold(value);
  }
}

/** `ne` compares for equality here; the caller negates the result. */
function compare(actual: Comparable, operator: Operator, operand: Comparable): boolean {
  if (actual === undefined || operand === undefined) return false;
  switch (operator) {
    case 'eq':
    case 'ne':
      return actual === operand;
    case 'gt':
      return actual > operand;
    case 'ge':
      return actual >= operand;
    case 'lt':
      return actual < operand;
    case 'le':
      return actual <= operand;
    case 'co':
      return String(actual).includes(String(operand));
    case 'sw':
      return String(actual).startsWith(String(operand));
    case 'ew':
      return String(actual).endsWith(String(operand));
  }
}
