// Compares two answers to the same request: status, shape of the JSON, headers.
import type { Answer, Peer } from './exchange.ts';

export interface Difference {
  readonly kind: 'status' | 'shape' | 'count' | 'header';
  /** What it is about: a path in the JSON, or a header. Empty for the status. */
  readonly at: string;
  readonly keystone: string;
  readonly ours: string;
}

const ABSENT = 'absent';

/** Of every HTTP server, or different for each answer. */
const IGNORED = new Set(['date', 'server', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']);
/** Their values are compared. Of the others, only whether they are there. */
const COMPARED = new Set(['content-type', 'vary', 'www-authenticate', 'location', 'allow']);

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'empty list' : 'list';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
};

type Shape = Map<string, Set<string>>;

/** Paths in the JSON with their types. All elements of a list are one: `users[].id`. Ids that are keys have their names. */
function addShape(shape: Shape, at: string, value: unknown, peer: Peer): void {
  shape.set(at, (shape.get(at) ?? new Set()).add(typeOf(value)));
  if (Array.isArray(value)) for (const each of value) addShape(shape, `${at}[]`, each, peer);
  else if (value !== null && typeof value === 'object')
    for (const [key, each] of Object.entries(value)) {
      const name = peer.named(key);
      addShape(shape, at === '' ? name : `${at}.${name}`, each, peer);
    }
}

function shapeOf(body: unknown, peer: Peer): Shape {
  const shape: Shape = new Map();
  if (body !== undefined) addShape(shape, '', body, peer);
  return shape;
}

const typesAt = (shape: Shape, at: string): string => [...(shape.get(at) ?? [ABSENT])].sort().join(' or ');

/** `a.b[]` and `a` for `a.b[].c`. */
const isWithin = (at: string, parent: string): boolean =>
  at !== parent && (parent === '' || at.startsWith(`${parent}.`) || at.startsWith(`${parent}[]`));

function shapeDifferences(theirs: unknown, ours: unknown, keystone: Peer, gatehouse: Peer): Difference[] {
  const [a, b] = [shapeOf(theirs, keystone), shapeOf(ours, gatehouse)];
  const differences: Difference[] = [];
  for (const at of [...new Set([...a.keys(), ...b.keys()])].sort()) {
    const [keystone, here] = [typesAt(a, at), typesAt(b, at)];
    // What is within something that is missing, or within an empty list, is missing with it.
    const isTold = differences.some((told) => isWithin(at, told.at) && a.has(at) !== b.has(at));
    if (keystone !== here && !isTold) differences.push({ kind: 'shape', at, keystone, ours: here });
  }
  return differences;
}

/** Lengths of the lists at the top: whether a filter did the same. */
function countDifferences(theirs: unknown, ours: unknown): Difference[] {
  const listsOf = (body: unknown): Map<string, number> =>
    new Map(
      body !== null && typeof body === 'object'
        ? Object.entries(body).flatMap(([key, value]) => (Array.isArray(value) ? [[key, value.length]] : []))
        : [],
    );
  const [a, b] = [listsOf(theirs), listsOf(ours)];
  return [...a].flatMap(([at, length]) => {
    const here = b.get(at);
    // An empty list beside another is a difference of shape already.
    if (here === undefined || here === length || here === 0 || length === 0) return [];
    return [{ kind: 'count' as const, at, keystone: String(length), ours: String(here) }];
  });
}

function headerValue(name: string, { headers }: Answer, peer: Peer): string {
  const value = headers.get(name);
  if (value === undefined) return ABSENT;
  if (!COMPARED.has(name)) return 'present';
  const shown = peer.named(value).replaceAll(' ', '').toLowerCase();
  return name === 'allow' || name === 'vary' ? shown.split(',').sort().join(', ') : shown;
}

function headerDifferences(theirs: Answer, ours: Answer, keystone: Peer, gatehouse: Peer): Difference[] {
  const names = new Set([...theirs.headers.keys(), ...ours.headers.keys()].filter((name) => !IGNORED.has(name)));
  return [...names].sort().flatMap((at) => {
    const [a, b] = [headerValue(at, theirs, keystone), headerValue(at, ours, gatehouse)];
    return a === b ? [] : [{ kind: 'header' as const, at, keystone: a, ours: b }];
  });
}

/** If the status differs, everything else does, too: only the status is told. */
export function differencesOf(theirs: Answer, ours: Answer, keystone: Peer, gatehouse: Peer): Difference[] {
  if (theirs.status !== ours.status)
    return [{ kind: 'status', at: '', keystone: String(theirs.status), ours: String(ours.status) }];
  return [
    ...shapeDifferences(theirs.body, ours.body, keystone, gatehouse),
    ...countDifferences(theirs.body, ours.body),
    ...headerDifferences(theirs, ours, keystone, gatehouse),
  ];
}
