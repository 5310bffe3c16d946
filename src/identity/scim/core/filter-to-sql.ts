// From a filter to what the database can look up by an index: a condition every match must meet, and whether it says it all.
import { nameKey } from '../../users/index.ts';
import type { Filter, FilterValue, Operator } from './filter.ts';

/** Comparisons with a column, and questions to the tables beside it. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'column'; readonly column: Column; readonly comparison: Comparison; readonly value: string | number }
  /** Names in small letters, a to z. */
  | { readonly kind: 'foldedName'; readonly value: string }
  | { readonly kind: 'email'; readonly key: string }
  /** Users in a group, or groups with a member. */
  | { readonly kind: 'inGroup' | 'withMember'; readonly id: string }
  | { readonly kind: 'nothing' };

export type Column = 'id' | 'name' | 'name_key' | 'external_id' | 'enabled' | 'updated_at' | 'created_at';
export type Comparison = '=' | '>' | '>=' | '<' | '<=';

export interface Translated {
  /** Undefined: any row may match. */
  readonly condition: Condition | undefined;
  /** False: what meets the condition still has to be looked at. */
  readonly exact: boolean;
}

/** What one comparison is to the database; undefined when it cannot tell. */
export type Reading = (operator: Operator, value: FilterValue) => Condition | undefined;
/** By the attribute's name in the schema: `userName`, `emails.value`. */
export type Readings = Readonly<Record<string, Reading>>;

const anything: Translated = { condition: undefined, exact: false };

const equal =
  (make: (value: string) => Condition): Reading =>
  (operator, value) =>
    operator === 'eq' && typeof value === 'string' ? make(value) : undefined;

const column = (name: Column): Reading => equal((value) => ({ kind: 'column', column: name, comparison: '=', value }));

const flag =
  (name: Column): Reading =>
  (operator, value) =>
    operator === 'eq' && typeof value === 'boolean'
      ? { kind: 'column', column: name, comparison: '=', value: value ? 1 : 0 }
      : undefined;

const COMPARISONS: Readonly<Partial<Record<Operator, Comparison>>> = { eq: '=', gt: '>', ge: '>=', lt: '<', le: '<=' };

const time: Reading = (operator, value) => {
  const comparison = COMPARISONS[operator];
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return comparison && !Number.isNaN(at) ? { kind: 'column', column: 'updated_at', comparison, value: at } : undefined;
};

/** The index leaves out addresses that are empty. */
const email: Reading = (operator, value) =>
  operator === 'eq' && typeof value === 'string' && value !== '' ? { kind: 'email', key: nameKey(value) } : undefined;
const inGroup = equal((id) => ({ kind: 'inGroup', id }));
const withMember = equal((id) => ({ kind: 'withMember', id }));

/** The index on groups knows the letters a to z; other alphabets are compared here. */
const foldedName: Reading = (operator, value) =>
  operator === 'eq' && typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)
    ? { kind: 'foldedName', value: value.toLowerCase() }
    : undefined;

const common = { id: column('id'), externalId: column('external_id'), 'meta.lastModified': time };

export const userReadings: Readings = {
  ...common,
  userName: equal((value) => ({ kind: 'column', column: 'name_key', comparison: '=', value: nameKey(value) })),
  active: flag('enabled'),
  emails: email,
  'emails.value': email,
  groups: inGroup,
  'groups.value': inGroup,
};

export const groupReadings: Readings = {
  ...common,
  displayName: foldedName,
  members: withMember,
  'members.value': withMember,
};

export const organizationReadings: Readings = { ...common, name: column('name'), active: flag('enabled') };

export function filterToSql(filter: Filter, readings: Readings, within = ''): Translated {
  switch (filter.kind) {
    case 'and':
      return both(filterToSql(filter.left, readings, within), filterToSql(filter.right, readings, within));
    case 'or':
      return either(filterToSql(filter.left, readings, within), filterToSql(filter.right, readings, within));
    case 'compare': {
      if (!filter.place) return anything;
      const name = within + filter.place.keys.join('.');
      const reading = Object.hasOwn(readings, name) ? readings[name]!(filter.operator, filter.value) : undefined;
      return reading ? { condition: reading, exact: true } : anything;
    }
    // The element that matches has the value asked for, but it may not be the only thing that is asked of it.
    case 'element':
      return { ...filterToSql(filter.filter, readings, `${filter.place.keys.join('.')}.`), exact: false };
    default:
      return anything;
  }
}

function both(a: Translated, b: Translated): Translated {
  const parts = [a.condition, b.condition].filter((part) => part !== undefined);
  return { condition: parts.length > 1 ? { kind: 'and', parts } : parts[0], exact: a.exact && b.exact };
}

function either(a: Translated, b: Translated): Translated {
  if (!a.condition || !b.condition) return anything;
  return { condition: { kind: 'or', parts: [a.condition, b.condition] }, exact: a.exact && b.exact };
}
