// Compares what a file wants with what a service has.
import { isDeepStrictEqual } from 'node:util';
import type { SetupDocument } from './document.ts';
import { labelOf } from './labels.ts';
import { type Change, type Found, type Key, KINDS, keyText, type Wanted } from './model.ts';
import { OWN_APPLICATIONS } from './read-applications.ts';
import type { Json } from './schema.ts';
import { missingSecret, type Secrets } from './secrets.ts';
import type { State } from './state.ts';
import { shown } from './text.ts';
import type { WantedSetup } from './wanted.ts';

export interface Plan {
  /** In the order in which they are made. */
  readonly changes: readonly Change[];
  /** Why it cannot be applied. */
  readonly problems: readonly string[];
  /** What stays although it is not in the file. */
  readonly notices: readonly string[];
}

/** The file of a secret that an earlier run could not write. */
export const SECRET_FILE = 'secret file';

/** Lists whose order means nothing. */
const SETS = new Set(['tags', 'redirect_uris', 'post_logout_redirect_uris', 'scopes', 'remote_ids', 'email_domains', 'issuers']);
/** Fields that cannot be changed later. */
const FIXED: Readonly<Record<string, string>> = {
  'organization.parent': 'an organization cannot be moved',
  'identity_provider.domain': 'the domain of an identity provider cannot be changed',
};

export function isSame(field: string, one: Json | undefined, other: Json | undefined): boolean {
  if (SETS.has(field) && Array.isArray(one) && Array.isArray(other)) return isDeepStrictEqual(one.toSorted(), other.toSorted());
  return isDeepStrictEqual(one ?? null, other ?? null);
}

interface Context {
  readonly document: SetupDocument;
  readonly setup: WantedSetup;
  readonly state: State;
  readonly secrets: Secrets;
  /** Send secrets again that the service has already. */
  readonly sendSecrets: boolean;
  readonly problems: string[];
}

const problem = ({ document, problems }: Context, path: Wanted['path'], why: string): void =>
  void problems.push(`${document.place(path)}: ${why}`);

function creation(context: Context, wanted: Wanted): Change {
  const why = missingSecret(context.secrets, wanted);
  if (why) problem(context, wanted.path, why);
  if (wanted.kind === 'application' && String(wanted.key[0]).startsWith('#'))
    problem(context, [...wanted.path, 'id'], 'there is no application with this id; without id it would be created');
  const fields = Object.fromEntries(Object.entries(wanted.fields).map(([name, to]) => [name, { to }]));
  return { action: 'create', kind: wanted.kind, key: wanted.key, fields, wanted };
}

function checkUpdate(context: Context, wanted: Wanted, found: Found, changed: readonly string[]): void {
  const { kind, path, fields } = wanted;
  for (const name of changed) {
    const fixed = FIXED[`${kind}.${name}`];
    if (fixed) problem(context, path, fixed);
  }
  if (found.fields.immutable === true && fields.immutable !== false)
    problem(
      context,
      path,
      `${labelOf(wanted)} is immutable; add immutable: false to change ${changed.map((name) => shown(name, false)).join(', ')}`,
    );
  if (kind === 'application' && OWN_APPLICATIONS.has(found.id)) problem(context, path, 'this application belongs to the service');
  if (kind === 'openid' && (changed.includes('client_secret') || changed.includes('issuer'))) {
    const why = missingSecret(context.secrets, wanted);
    if (why) problem(context, path, why);
  }
}

function update(context: Context, wanted: Wanted, found: Found): Change | undefined {
  if (found.ambiguous) {
    const remedy = wanted.kind === 'application' ? 'name the one that is meant by its id' : 'rename one of them first';
    problem(context, wanted.path, `the service has several things of this kind with this name: ${remedy}`);
  }
  const changed = Object.keys(wanted.fields).filter((name) => !isSame(name, found.fields[name], wanted.fields[name]));
  if (context.sendSecrets && wanted.secret && !changed.includes('client_secret')) changed.push('client_secret');
  const interrupted = wanted.secretTo !== undefined && context.secrets.isUnwritten(wanted.secretTo);
  if (changed.length === 0 && !interrupted) return undefined;
  if (changed.length > 0) checkUpdate(context, wanted, found, changed);
  const fields = {
    ...Object.fromEntries(changed.map((name) => [name, { from: found.fields[name] ?? null, to: wanted.fields[name]! }])),
    ...(interrupted ? { [SECRET_FILE]: { from: null, to: wanted.secretTo! } } : {}),
  };
  return { action: 'update', kind: wanted.kind, key: wanted.key, fields, wanted, found };
}

const beginsWith = (key: Key, prefix: Key): boolean => prefix.every((part, index) => key[index] === part);

/** Organizations that have to stay because something below them does. */
function keptAbove(state: State, wanted: ReadonlySet<string>): Set<string> {
  const kept = new Set<string>();
  for (const item of state.items) {
    if (item.kind !== 'organization' || (item.keep === undefined && !wanted.has(keyText(item.kind, item.key)))) continue;
    for (let parent = item.fields.parent; typeof parent === 'string'; ) {
      const key = [item.key[0]!, parent];
      kept.add(keyText('organization', key));
      parent = state.find('organization', key)?.fields.parent ?? null;
    }
  }
  return kept;
}

function deletions({ setup, state }: Context): { readonly changes: Change[]; readonly notices: string[] } {
  const wanted = new Set(setup.items.map(({ kind, key }) => keyText(kind, key)));
  const above = keptAbove(state, wanted);
  const changes: Change[] = [];
  const notices: string[] = [];
  for (const found of state.items) {
    const { kind, key, fields } = found;
    const isNamed = setup.scopes.some(
      (scope) =>
        scope.kind === kind &&
        beginsWith(key, scope.prefix) &&
        (!scope.where || scope.where.values.includes(String(fields[scope.where.field]))),
    );
    if (!isNamed || wanted.has(keyText(kind, key))) continue;
    const keep = found.keep ?? (above.has(keyText(kind, key)) ? 'something below it stays' : undefined);
    if (keep === undefined) changes.push({ action: 'delete', kind, key, fields: {}, found });
    else if (!found.builtIn) notices.push(`stays: ${labelOf(found)}: ${keep}`);
  }
  // The last first: children before their parents.
  changes.reverse().sort((a, b) => KINDS.indexOf(b.kind) - KINDS.indexOf(a.kind));
  return { changes, notices };
}

/** Regions may be in any order in a file; parents have to be created first. */
function inOrder(items: readonly Wanted[]): Wanted[] {
  const regions = new Map(items.filter(({ kind }) => kind === 'region').map((item) => [item.key[0], item]));
  const depth = (item: Wanted, seen = new Set<unknown>()): number => {
    const parent = regions.get((item.fields.parent ?? null) as string | null);
    if (item.kind !== 'region' || !parent || seen.has(parent)) return 0;
    return 1 + depth(parent, seen.add(parent));
  };
  const ranked = items.map((item) => ({ item, kind: KINDS.indexOf(item.kind), depth: depth(item) }));
  return ranked.sort((a, b) => a.kind - b.kind || a.depth - b.depth).map(({ item }) => item);
}

function checkReferences(context: Context, missingUsers: WantedSetup['users']): void {
  const { setup, state } = context;
  const wanted = new Set(setup.items.map(({ kind, key }) => keyText(kind, key)));
  for (const { kind, key, path } of setup.references)
    if (!wanted.has(keyText(kind, key)) && !state.find(kind, key))
      problem(context, path, `there is no ${labelOf({ kind, key })}`);
  for (const { key, path } of missingUsers)
    problem(context, path, `there is no user ${shown(String(key[1]))} in domain ${shown(String(key[0]))}`);
}

export function planOf(
  given: Omit<Context, 'problems'> & { readonly prune: boolean; readonly missingUsers: WantedSetup['users'] },
): Plan {
  const context: Context = { ...given, problems: [] };
  const { setup, state } = context;
  checkReferences(context, given.missingUsers);
  const changes = inOrder(setup.items).flatMap((wanted) => {
    const found = state.find(wanted.kind, wanted.key);
    return (found ? update(context, wanted, found) : creation(context, wanted)) ?? [];
  });
  const pruned = given.prune ? deletions(context) : { changes: [], notices: [] };
  return { changes: [...changes, ...pruned.changes], problems: context.problems, notices: pruned.notices };
}
