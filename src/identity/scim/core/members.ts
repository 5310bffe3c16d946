// The members of a group, taken out of its patch: a group may have many, so the database changes them by statements.
import { fail } from '../../faults.ts';
import type { Attribute, ResourceType } from './attribute.ts';
import type { Filter } from './filter.ts';
import { type Change, changesOf, isGiven, type Operation } from './patch.ts';
import { shownPath } from './path.ts';
import { readValue } from './resource.schema.ts';

export interface Member {
  readonly value: string;
  readonly display?: string;
}

export type MemberStep =
  | { readonly kind: 'add'; readonly members: readonly Member[] }
  | { readonly kind: 'remove'; readonly ids: readonly string[] }
  | { readonly kind: 'clear' }
  /** The places of the filter start at the member. */
  | { readonly kind: 'removeWhere'; readonly filter: Filter };

export function memberSteps(
  type: ResourceType,
  operations: readonly Operation[],
): { readonly rest: Operation[]; readonly steps: MemberStep[] } {
  const rest: Operation[] = [];
  const steps: MemberStep[] = [];
  for (const operation of operations) {
    const changes = changesOf(type, operation);
    const [ofMembers, others] = [changes.filter(isOfMembers), changes.filter((change) => !isOfMembers(change))];
    steps.push(...ofMembers.flatMap(stepsOf));
    if (ofMembers.length === 0) rest.push(operation);
    else rest.push(...others.map(({ op, path, value }) => ({ op, path, value })));
  }
  return { rest, steps };
}

const isOfMembers = ({ place }: Change): boolean => place.keys[0] === 'members';

function stepsOf(change: Change): MemberStep[] {
  if (change.filter) return stepsOfChosen(change, change.filter);
  if (change.sub) return stepsOfParts(change, change.sub);
  const { op, place, value } = change;
  if (op === 'remove') return isGiven(value) ? removals(readMembers(place.attributes[0], value)) : [{ kind: 'clear' }];
  const added = additions(readMembers(place.attributes[0], value));
  return op === 'replace' ? [{ kind: 'clear' }, ...added] : added;
}

const additions = (members: readonly Member[]): MemberStep[] => (members.length > 0 ? [{ kind: 'add', members }] : []);
const removals = (members: readonly Member[]): MemberStep[] =>
  members.length > 0 ? [{ kind: 'remove', ids: members.map(({ value }) => value) }] : [];

/** `members.value`: adding one is adding a member; anything else would change who the members are. */
function stepsOfParts({ op, place, value }: Change, sub: Attribute): MemberStep[] {
  if (op !== 'add' || sub.name !== 'value') fail('scim.mutability', { name: `members.${sub.name}` });
  return additions(readMembers(place.attributes[0], value));
}

function stepsOfChosen(change: Change, filter: Filter): MemberStep[] {
  const { op, sub, path } = change;
  const ids = idsOf(filter);
  if (op === 'remove') {
    if (!sub) return [ids ? { kind: 'remove', ids } : { kind: 'removeWhere', filter }];
    // The service says how a member is shown, so there is no display to take away.
    return sub.mutability === 'immutable' ? fail('scim.mutability', { name: `members.${sub.name}` }) : [];
  }
  if (!ids) return fail('scim.no_target', { path: shownPath(path) });
  return additions(ids.map((id) => changedMember(change, id)));
}

function changedMember({ place, sub, value }: Change, id: string): Member {
  const [attribute] = place.attributes;
  const given = sub ? { [sub.name]: value } : Array.isArray(value) && value.length === 1 ? value[0] : value;
  const { value: other = id, display } = (readValue(attribute, given, { element: true }) ?? {}) as Partial<Member>;
  if (other !== id) fail('scim.mutability', { name: 'members.value' });
  return { value: id, ...displayed(display) };
}

const displayed = (display: string | undefined): Pick<Member, 'display'> => (display === undefined ? {} : { display });

/** The identifiers that a filter of nothing but `value eq "..."` lists. */
function idsOf(filter: Filter): string[] | undefined {
  if (filter.kind === 'or') {
    const [left, right] = [idsOf(filter.left), idsOf(filter.right)];
    return left && right && [...left, ...right];
  }
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || filter.place?.keys[0] !== 'value') return undefined;
  return typeof filter.value === 'string' && filter.value !== '' ? [filter.value] : undefined;
}

function readMembers(attribute: Attribute, value: unknown): Member[] {
  const list = Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
  return list.map((element) => readMember(attribute, element));
}

function readMember(attribute: Attribute, element: unknown): Member {
  const { value, display } = (readValue(attribute, element, { element: true }) ?? {}) as Partial<Member>;
  if (!value) return fail('scim.invalid_value', { name: 'members', why: 'each member needs the identifier as its value' });
  return { value, ...displayed(display) };
}
