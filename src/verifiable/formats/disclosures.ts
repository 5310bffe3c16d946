// The disclosures of an SD-JWT (RFC 9901, 7.1 and 7.3): decoding them, and selecting those that a verifier's paths need.
// @sd-jwt is not used for this: it joins paths with dots (so the claim `a.b` is the same as `b` in `a`), counts decoys as list
// elements (so it shows another element than requested), and lets a disclosure replace an open claim.
import { createHash } from 'node:crypto';
import { isUnsafeJson, MAX_DEPTH } from '../jose/index.ts';
import { CredentialRejectedError, type PresentationContext } from './format.ts';

export const HASHES: Readonly<Record<string, string>> = { 'sha-256': 'sha256', 'sha-384': 'sha384', 'sha-512': 'sha512' };

const MAX_DISCLOSURES = 1000;
const RESERVED = new Set(['_sd', '...', '__proto__', 'constructor', 'prototype']);

/** A value with its members or items, and the disclosure that contains it. */
export interface DisclosureTree {
  readonly disclosure?: string;
  readonly value?: unknown;
  readonly members?: ReadonlyMap<string, DisclosureTree>;
  readonly items?: readonly DisclosureTree[];
  /** A list with more digests than elements: some are held back, or decoys. */
  readonly isPartial?: boolean;
}

interface Disclosure {
  readonly encoded: string;
  /** Absent for a list element. */
  readonly name?: string;
  readonly value: unknown;
}

function malformed(why: string): never {
  throw new CredentialRejectedError('malformed', why);
}

function parse(encoded: string): Disclosure {
  if (!/^[\w-]+$/.test(encoded)) malformed('a disclosure is not base64url');
  const parts: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'));
  if (!Array.isArray(parts) || typeof parts[0] !== 'string' || isUnsafeJson(parts)) malformed('a disclosure is not one');
  if (parts.length === 2) return { encoded, value: parts[1] };
  if (parts.length !== 3 || typeof parts[1] !== 'string') malformed('a disclosure is not one');
  return { encoded, name: parts[1], value: parts[2] };
}

/** Decodes the claims of a payload. Every disclosure must belong to exactly one digest, and no digest may occur twice. */
export function decodeDisclosures(
  payload: Readonly<Record<string, unknown>>,
  encoded: readonly string[],
  hash: string,
): DisclosureTree {
  if (encoded.length > MAX_DISCLOSURES) malformed('it has too many disclosures');
  const byDigest = new Map<string, Disclosure>();
  for (const one of encoded) byDigest.set(createHash(hash).update(one).digest('base64url'), parse(one));
  if (byDigest.size !== encoded.length) malformed('a disclosure is there twice');
  const seen = new Set<string>();

  /** Undefined for a decoy or for a claim that is not disclosed. */
  function take(digest: unknown): Disclosure | undefined {
    if (typeof digest !== 'string') malformed('a digest is not a text');
    if (seen.has(digest)) malformed('a digest is there twice');
    seen.add(digest);
    const found = byDigest.get(digest);
    byDigest.delete(digest);
    return found;
  }

  function item(value: unknown, depth: number): DisclosureTree | undefined {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '...')) return open(value, depth);
    if (Object.keys(value).length !== 1) malformed('an element of a list has more than its digest');
    const found = take((value as Record<string, unknown>)['...']);
    if (found?.name !== undefined) malformed('an element of a list has a name');
    return found && { ...open(found.value, depth), disclosure: found.encoded };
  }

  function object(value: Readonly<Record<string, unknown>>, depth: number): DisclosureTree {
    const { _sd: digests = [], ...rest } = value;
    if (!Array.isArray(digests)) malformed('_sd is not a list of digests');
    const members = new Map<string, DisclosureTree>();
    for (const [name, child] of Object.entries(rest)) {
      if (name === '...') malformed('a claim has a name it may not have');
      members.set(name, open(child, depth + 1));
    }
    for (const found of digests.map(take)) {
      if (!found) continue;
      if (found.name === undefined) malformed('a claim has no name');
      if (RESERVED.has(found.name)) malformed('a disclosure has a name it may not have');
      if (members.has(found.name)) malformed('a claim is there twice');
      members.set(found.name, { ...open(found.value, depth + 1), disclosure: found.encoded });
    }
    return { members };
  }

  function open(value: unknown, depth: number): DisclosureTree {
    // Disclosures can be nested in each other, so the total depth is checked too.
    if (depth > MAX_DEPTH) malformed('it is nested too deeply');
    if (Array.isArray(value)) {
      const items = value.flatMap((one) => item(one, depth + 1) ?? []);
      return { items, isPartial: items.length < value.length };
    }
    return typeof value === 'object' && value !== null ? object(value as Record<string, unknown>, depth) : { value };
  }

  const { _sd_alg: _, ...claims } = payload;
  const opened = open(claims, 0);
  if (byDigest.size > 0) malformed('a disclosure belongs to nothing in it');
  return opened;
}

/** The plain claims, with all disclosures applied. */
export function claimsOf({ members, items, value }: DisclosureTree): unknown {
  if (members) return Object.fromEntries([...members].map(([name, part]) => [name, claimsOf(part)]));
  return items ? items.map(claimsOf) : value;
}

/** The paths of lists that are not shown whole. Not of lists in lists. */
export function partialListsIn(
  { members, isPartial = false }: DisclosureTree,
  path: readonly string[] = [],
): (readonly string[])[] {
  const below = [...(members ?? [])].flatMap(([name, part]) => partialListsIn(part, [...path, name]));
  return isPartial ? [path, ...below] : below;
}

/** All disclosures in a subtree, its own first. */
export function disclosuresIn({ disclosure, members, items }: DisclosureTree): string[] {
  const below = [...(members?.values() ?? []), ...(items ?? [])].flatMap(disclosuresIn);
  return disclosure === undefined ? below : [disclosure, ...below];
}

/**
 * The disclosures that the paths select (OpenID4VP, 7), with their parents. A path to an object selects all of it. A path that does
 * not match selects nothing.
 */
export function selectDisclosures(root: DisclosureTree, paths: PresentationContext['paths']): ReadonlySet<string> {
  const chosen = new Set<string>();
  function follow(part: DisclosureTree, [step, ...rest]: readonly (string | number | null)[], above: readonly string[]): void {
    if (step === undefined) {
      for (const one of [...above, ...disclosuresIn(part)]) chosen.add(one);
      return;
    }
    const way = part.disclosure === undefined ? above : [...above, part.disclosure];
    const { members, items = [] } = part;
    const next = typeof step === 'string' ? [members?.get(step)] : step === null ? items : [items[step]];
    for (const one of next) if (one) follow(one, rest, way);
  }
  for (const path of paths) follow(root, path, []);
  return chosen;
}
