// Separates the changes of members from the patch of a group: a group may have many members, so SQL statements change them.
import { fail } from '../../../ground/faults.ts';
import type { Attribute, ResourceType } from './attribute.ts';
import type { Filter } from './filter.ts';
import { type AttributeChange, changesOf, namesElements, type PatchOperation } from './patch.ts';
import { shortenPath } from './path.ts';
import { readValue } from './resource.schema.ts';

export interface PatchedMember {
  readonly value: string;
  readonly display?: string;
}

export type MemberStep =
  | { readonly kind: 'add'; readonly members: readonly PatchedMember[] }
  | { readonly kind: 'remove'; readonly ids: readonly string[] }
  | { readonly kind: 'clear' }
  /** The paths of the filter are relative to the member. */
  | { readonly kind: 'removeWhere'; readonly filter: Filter };

export function memberSteps(
  type: ResourceType,
  operations: readonly PatchOperation[],
): { readonly rest: PatchOperation[]; readonly steps: MemberStep[] } {
  const rest: PatchOperation[] = [];
  const steps: MemberStep[] = [];
  for (const operation of operations) {
    const changes = changesOf(type, operation);
    const [ofMembers, others] = [changes.filter(changesMembers), changes.filter((change) => !changesMembers(change))];
    steps.push(...ofMembers.flatMap(stepsOf));
    if (ofMembers.length === 0) rest.push(operation);
    else rest.push(...others.map(({ op, path, value }) => ({ op, path, value })));
  }
  return { rest, steps };
}

const changesMembers = ({ attributePath }: AttributeChange): boolean => attributePath.keys[0] === 'members';

function stepsOf(change: AttributeChange): MemberStep[] {
  if (change.filter) return stepsOfFiltered(change, change.filter);
  if (change.sub) return stepsOfSubAttribute(change, change.sub);
  const { op, attributePath, value } = change;
  if (op === 'remove')
    return namesElements(value) ? removals(readMembers(attributePath.attributes[0], value)) : [{ kind: 'clear' }];
  const added = additions(readMembers(attributePath.attributes[0], value));
  return op === 'replace' ? [{ kind: 'clear' }, ...added] : added;
}

const additions = (members: readonly PatchedMember[]): MemberStep[] => (members.length > 0 ? [{ kind: 'add', members }] : []);
const removals = (members: readonly PatchedMember[]): MemberStep[] =>
  members.length > 0 ? [{ kind: 'remove', ids: members.map(({ value }) => value) }] : [];

/** Adding to `members.value` adds a member. Other operations would change the identity of members and are refused. */
function stepsOfSubAttribute({ op, attributePath, value }: AttributeChange, sub: Attribute): MemberStep[] {
  if (op !== 'add' || sub.name !== 'value') fail('scim.mutability', { name: `members.${sub.name}` });
  return additions(readMembers(attributePath.attributes[0], value));
}

function stepsOfFiltered(change: AttributeChange, filter: Filter): MemberStep[] {
  const { op, sub, path } = change;
  const ids = idsOf(filter);
  if (op === 'remove') {
    if (!sub) return [ids ? { kind: 'remove', ids } : { kind: 'removeWhere', filter }];
    // The service sets the display of a member, so there is nothing to remove.
    return sub.mutability === 'immutable' ? fail('scim.mutability', { name: `members.${sub.name}` }) : [];
  }
  if (!ids) return fail('scim.no_target', { path: shortenPath(path) });
  return additions(ids.map((id) => changedMember(change, id)));
}

function changedMember({ attributePath, sub, value }: AttributeChange, id: string): PatchedMember {
  const [attribute] = attributePath.attributes;
  const input = sub ? { [sub.name]: value } : Array.isArray(value) && value.length === 1 ? value[0] : value;
  const { value: other = id, display } = (readValue(attribute, input, { element: true }) ?? {}) as Partial<PatchedMember>;
  if (other !== id) fail('scim.mutability', { name: 'members.value' });
  return { value: id, ...displayOf(display) };
}

const displayOf = (display: string | undefined): Pick<PatchedMember, 'display'> => (display === undefined ? {} : { display });

/** The identifiers in a filter that consists only of `value eq "..."`. */
function idsOf(filter: Filter): string[] | undefined {
  if (filter.kind === 'or') {
    const [left, right] = [idsOf(filter.left), idsOf(filter.right)];
    return left && right && [...left, ...right];
  }
  if (filter.kind !== 'compare' || filter.operator !== 'eq' || filter.attributePath?.keys[0] !== 'value') return undefined;
  return typeof filter.value === 'string' && filter.value !== '' ? [filter.value] : undefined;
}

function readMembers(attribute: Attribute, value: unknown): PatchedMember[] {
  const list = Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
  return list.map((element) => readMember(attribute, element));
}

function readMember(attribute: Attribute, element: unknown): PatchedMember {
  const { value, display } = (readValue(attribute, element, { element: true }) ?? {}) as Partial<PatchedMember>;
  if (!value) return fail('scim.invalid_value', { name: 'members', why: 'each member needs the identifier as its value' });
  return { value, ...displayOf(display) };
}
