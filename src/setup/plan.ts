// Compares what a file wants with what a service has.
import { isDeepStrictEqual } from 'node:util';
import type { SetupDocument } from './document.ts';
import { definitionOf, labelOf, parentOf } from './kinds/index.ts';
import { type Change, type ExistingItem, type Json, type Key, KINDS, type Kind, keyText, type SetupItem } from './model.ts';
import { missingSecret, type Secrets } from './secrets.ts';
import type { State } from './state.ts';
import { SetupError, shown, shownValue } from './text.ts';
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

export function isSame(kind: Kind, field: string, one: Json | undefined, other: Json | undefined): boolean {
  const isSet = definitionOf(kind).fields?.[field]?.isSet;
  if (isSet && Array.isArray(one) && Array.isArray(other)) return isDeepStrictEqual(one.toSorted(), other.toSorted());
  return isDeepStrictEqual(one ?? null, other ?? null);
}

interface Context {
  readonly document: SetupDocument;
  readonly setup: WantedSetup;
  readonly state: State;
  readonly secrets: Secrets;
  /** Send secrets again that the service has already. */
  readonly sendSecrets: boolean;
  readonly prune: boolean;
  readonly problems: string[];
  readonly notices: string[];
}

const problem = ({ document, problems }: Context, path: SetupItem['path'], why: string): void =>
  void problems.push(`${document.place(path)}: ${why}`);

/** Secrets that are no values of their settings. */
function checkSent(context: Context, wanted: SetupItem, names: readonly string[]): void {
  try {
    const values = Object.fromEntries(names.map((name) => [name, wanted.fields[name] ?? null]));
    definitionOf(wanted.kind).sent?.(values, wanted, context.secrets);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    problem(context, wanted.path, error.message);
  }
}

function creation(context: Context, wanted: SetupItem): Change {
  const why = missingSecret(context.secrets, wanted);
  if (why) problem(context, wanted.path, why);
  else checkSent(context, wanted, Object.keys(wanted.fields));
  const refusal = definitionOf(wanted.kind).refusal?.(wanted, context.state);
  if (refusal) problem(context, refusal.path, refusal.why);
  const fields = Object.fromEntries(Object.entries(wanted.fields).map(([name, to]) => [name, { to }]));
  return { action: 'create', kind: wanted.kind, key: wanted.key, fields, wanted };
}

function checkUpdate(context: Context, wanted: SetupItem, found: ExistingItem, changed: readonly string[]): void {
  const { kind, path, fields } = wanted;
  const { fields: known = {} } = definitionOf(kind);
  for (const name of changed) {
    const fixed = known[name]?.fixed;
    if (fixed) problem(context, path, fixed);
  }
  if (found.fields.immutable === true && fields.immutable !== false)
    problem(
      context,
      path,
      `${labelOf(wanted)} is immutable; add immutable: false to change ${changed.map((name) => shown(name, false)).join(', ')}`,
    );
  if (found.locked) problem(context, path, found.locked);
  if (changed.some((name) => known[name]?.sendsSecret)) {
    const why = missingSecret(context.secrets, wanted);
    if (why) problem(context, path, why);
  }
  checkSent(context, wanted, changed);
}

/** Whether a request can change it. What is fixed may be in the file as it is. */
function isChangeable(context: Context, { kind, path, fields, secrets }: SetupItem, found: ExistingItem, name: string): boolean {
  const fixed = found.fixed?.[name];
  if (!fixed) return true;
  if (isSame(kind, name, fields[name], fixed.value)) {
    const unseen = secrets?.[name] ? '; whether the secret is that of the file cannot be seen' : '';
    context.notices.push(`stays: ${name}: ${fixed.why}${unseen}`);
  } else {
    const there = fixed.value === undefined ? '' : `: ${shownValue(fixed.value)}`;
    problem(context, [...path, name], `${fixed.why}${there}; remove it from the file`);
  }
  return false;
}

/** Names of the fields that have to be changed. */
function changedFields(context: Context, wanted: SetupItem, found: ExistingItem): string[] {
  const { kind, fields, secrets = {} } = wanted;
  const asRead = (name: string): Json | undefined => {
    const convert = definitionOf(kind).fields?.[name]?.asRead;
    return convert ? convert(fields[name]!, context.state) : fields[name];
  };
  const said = Object.keys(fields).filter((name) => !isSame(kind, name, found.fields[name], asRead(name)));
  const again = context.sendSecrets ? Object.keys(secrets).filter((name) => !said.includes(name)) : [];
  const isPruned = context.prune && definitionOf(kind).prunesFields;
  const pruned = isPruned ? Object.keys(found.fields).filter((name) => !(name in fields)) : [];
  return [...said, ...again, ...pruned].filter((name) => isChangeable(context, wanted, found, name));
}

function update(context: Context, wanted: SetupItem, found: ExistingItem): Change | undefined {
  if (found.ambiguous) {
    const remedy = definitionOf(wanted.kind).remedy ?? 'rename one of them first';
    problem(context, wanted.path, `the service has several things of this kind with this name: ${remedy}`);
  }
  const changed = changedFields(context, wanted, found);
  const interrupted = wanted.secretTo !== undefined && context.secrets.isUnwritten(wanted.secretTo);
  if (changed.length === 0 && !interrupted) return undefined;
  if (changed.length > 0) checkUpdate(context, wanted, found, changed);
  const fields = {
    ...Object.fromEntries(changed.map((name) => [name, { from: found.fields[name] ?? null, to: wanted.fields[name] ?? null }])),
    ...(interrupted ? { [SECRET_FILE]: { from: null, to: wanted.secretTo! } } : {}),
  };
  return { action: 'update', kind: wanted.kind, key: wanted.key, fields, wanted, found };
}

const beginsWith = (key: Key, prefix: Key): boolean => prefix.every((part, index) => key[index] === part);

/** Things that have to stay because something below them does. */
function keptAbove(state: State, wanted: ReadonlySet<string>): Set<string> {
  const kept = new Set<string>();
  for (const item of state.items) {
    if (item.keep === undefined && !wanted.has(keyText(item.kind, item.key))) continue;
    for (let above = parentOf(item); above; ) {
      kept.add(keyText(item.kind, above));
      const parent = state.find(item.kind, above);
      above = parent && parentOf(parent);
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

/** By kind, and in the order of the file; but what is below another one of its kind comes after it. */
function inOrder(items: readonly SetupItem[]): SetupItem[] {
  const byKey = new Map(items.map((item) => [keyText(item.kind, item.key), item]));
  const seen = new Set<SetupItem>();
  const withParents = (item: SetupItem | undefined): SetupItem[] => {
    if (!item || seen.has(item)) return [];
    seen.add(item);
    const above = parentOf(item);
    return [...withParents(above && byKey.get(keyText(item.kind, above))), item];
  };
  return items.flatMap(withParents).sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
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

export function planOf(input: Omit<Context, 'problems' | 'notices'> & { readonly missingUsers: WantedSetup['users'] }): Plan {
  const context: Context = { ...input, problems: [], notices: [] };
  const { setup, state } = context;
  checkReferences(context, input.missingUsers);
  const changes = inOrder(setup.items).flatMap((wanted) => {
    const found = state.find(wanted.kind, wanted.key);
    return (found ? update(context, wanted, found) : creation(context, wanted)) ?? [];
  });
  const pruned = input.prune ? deletions(context) : { changes: [], notices: [] };
  return {
    changes: [...changes, ...pruned.changes],
    problems: context.problems,
    notices: [...context.notices, ...pruned.notices],
  };
}
