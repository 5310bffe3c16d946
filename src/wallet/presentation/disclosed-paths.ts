// The paths a presentation discloses: the requested ones, and those that cannot be held back.
import { createHash } from 'node:crypto';
import { FORMATS } from '../../verifiable/formats/index.ts';
import { decodeJws } from '../../verifiable/jose/index.ts';
import { type ClaimPath, keyOf } from './claims.ts';
import type { Match } from './query.ts';

/** The form in the API. */
export type DisclosedPaths = (string | number | null)[][];

/** Technical claims, which are always disclosed and not reported. */
const TECHNICAL = new Set(['iss', 'iat', 'nbf', 'exp', 'cnf', 'vct', 'vct#integrity', 'status', '_sd_alg']);
/** Beyond these limits only the parent path is reported. */
const MAX_PARTS = 100;
const MAX_PATHS = 1000;
const MAX_LENGTH = 256 * 1024;

/** Requested paths as a tree, for fast lookup. */
interface PathTree {
  isEnd: boolean;
  readonly next: Map<string | number | null, PathTree>;
}

const newPathTree = (): PathTree => ({ isEnd: false, next: new Map() });

function treeOf(paths: readonly ClaimPath[]): PathTree {
  const root = newPathTree();
  for (const path of paths) {
    let at = root;
    for (const step of path) {
      const next = at.next.get(step) ?? newPathTree();
      at.next.set(step, next);
      at = next;
    }
    at.isEnd = true;
  }
  return root;
}

const below = (requested: readonly PathTree[], step: string | number): PathTree[] =>
  requested.flatMap(({ next }) => [next.get(step) ?? [], (typeof step === 'number' && next.get(null)) || []].flat());

/** Whether the whole value is requested. */
const isAllOf = ({ isEnd, next }: PathTree, value: unknown): boolean =>
  isEnd || (Array.isArray(value) && next.get(null)?.isEnd === true);

/** A member or item; without `shown` it is held back. */
interface Child {
  readonly step: string | number;
  readonly shown?: { readonly value: unknown };
}

interface SubtreePaths {
  readonly paths: ClaimPath[];
  /** Nothing in the subtree is held back. */
  readonly isWhole: boolean;
}

const isHidden = (one: unknown): one is { readonly '...': unknown } =>
  typeof one === 'object' && one !== null && Object.hasOwn(one, '...');

/** Marks values that contain selectively disclosable parts. The others need not be searched. */
function markHiding(value: unknown, marked: Set<unknown>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  let isHiding = Object.hasOwn(value, '_sd') || isHidden(value);
  for (const inner of Object.values(value)) isHiding = markHiding(inner, marked) || isHiding;
  if (isHiding) marked.add(value);
  return isHiding;
}

/** Walks over an SD-JWT, which was verified when it was received. */
function createSdJwtWalk(raw: string, presented: string) {
  const { payload } = decodeJws(raw.split('~', 1)[0], MAX_LENGTH);
  const shown = new Set(presented.split('~').slice(1));
  const hash = String(payload._sd_alg ?? 'sha-256').replace('-', '');
  const hidden = new Map(
    raw
      .split('~')
      .slice(1, -1)
      .map((text) => [createHash(hash).update(text).digest('base64url'), text]),
  );
  const hiding = new Set<unknown>();
  markHiding(payload, hiding);

  /** Undefined for a decoy. */
  function disclosed(digest: unknown): { readonly name: string; readonly shown?: { readonly value: unknown } } | undefined {
    const text = hidden.get(String(digest));
    if (text === undefined) return undefined;
    const parts = JSON.parse(Buffer.from(text, 'base64url').toString()) as unknown[];
    markHiding(parts.at(-1), hiding);
    return { name: String(parts[1]), ...(shown.has(text) ? { shown: { value: parts.at(-1) } } : {}) };
  }

  function itemsOf(list: readonly unknown[]): Child[] {
    return list
      .flatMap((one) => (isHidden(one) ? (disclosed(one['...']) ?? []) : { shown: { value: one } }))
      .map((one, step) => ({ step, ...(one.shown ? { shown: one.shown } : {}) }));
  }

  function childrenOf(value: unknown): Child[] {
    if (Array.isArray(value)) return itemsOf(value);
    if (typeof value !== 'object' || value === null) return [];
    const { _sd: digests = [], ...open } = value as { readonly _sd?: readonly unknown[] };
    return [
      ...Object.entries(open).map(([step, inner]) => ({ step, shown: { value: inner } })),
      ...digests.flatMap((digest) => {
        const { name, ...rest } = disclosed(digest) ?? {};
        return name === undefined ? [] : { step: name, ...rest };
      }),
    ];
  }

  return { payload, childrenOf, isOpen: (value: unknown) => !hiding.has(value) };
}

/** Disclosed paths that were not requested. A value that is disclosed completely is reported by its own path only. */
function additionalPaths(raw: string, presented: string, paths: readonly ClaimPath[]): ClaimPath[] {
  const { payload, childrenOf, isOpen } = createSdJwtWalk(raw, presented);

  function pathsBelow(value: unknown, path: ClaimPath, requested: readonly PathTree[]): SubtreePaths {
    if (requested.some((one) => isAllOf(one, value))) return { paths: [], isWhole: true };
    const children = requested.length === 0 && isOpen(value) ? [] : childrenOf(value);
    if (children.length === 0) return { paths: [path], isWhole: true };
    const inner = children.map(({ step, shown }) => shown && pathsBelow(shown.value, [...path, step], below(requested, step)));
    const isWhole = inner.every((one) => one?.isWhole);
    const all = inner.flatMap((one) => one?.paths ?? []);
    return { paths: all.length > MAX_PARTS || (isWhole && all.length > 0) ? [path] : all, isWhole };
  }

  const root = [treeOf(paths)];
  const claims = childrenOf(payload).flatMap(({ step, shown }) => {
    const found = shown && !TECHNICAL.has(String(step)) ? pathsBelow(shown.value, [step], below(root, step)).paths : [];
    return found.length > 0 ? { name: step, found } : [];
  });
  const all = claims.flatMap(({ found }) => found);
  return all.length > MAX_PATHS ? claims.map(({ name }) => [name]) : all;
}

/** `raw` is the stored copy, `presented` the presentation of it. */
export function disclosedPathsOf(
  { candidate: { format, content }, paths }: Match,
  raw: unknown,
  presented: unknown,
): DisclosedPaths {
  const { disclosure } = FORMATS[format];
  if (disclosure === 'all') return Object.keys(content.claims).map((name) => [name]);
  const beside = disclosure === 'asked-and-open' ? additionalPaths(String(raw), String(presented), paths) : [];
  const names = new Set(beside.map(keyOf));
  const isWithin = (path: ClaimPath): boolean => path.some((_, at) => names.has(keyOf(path.slice(0, at))));
  return [...paths.filter((path) => !isWithin(path)), ...beside].map((path) => [...path]);
}
