// Translates a filter into a condition the database can check by an index, and tells whether the condition is the whole filter.
import { nameKey } from '../../../directory/users/index.ts';
import type { Filter, FilterValue, Operator } from './filter.ts';

/** Comparisons with a column, and lookups in other tables. */
export type ScimSqlCondition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly ScimSqlCondition[] }
  | { readonly kind: 'column'; readonly column: SqlColumn; readonly comparison: SqlComparison; readonly value: string | number }
  /** The name in lower case (ASCII). */
  | { readonly kind: 'foldedName'; readonly value: string }
  | { readonly kind: 'email'; readonly key: string }
  /** Users in a group, or groups with a member. */
  | { readonly kind: 'inGroup' | 'withMember'; readonly id: string }
  | { readonly kind: 'nothing' };

export type SqlColumn = 'id' | 'name' | 'name_key' | 'external_id' | 'enabled' | 'updated_at' | 'created_at';
export type SqlComparison = '=' | '>' | '>=' | '<' | '<=';

export interface SqlTranslation {
  /** Undefined when any row may match. */
  readonly condition: ScimSqlCondition | undefined;
  /** False when the filter must still be applied to the rows found. */
  readonly exact: boolean;
}

/** Translates one comparison; undefined when the database cannot check it. */
export type ComparisonTranslator = (operator: Operator, value: FilterValue) => ScimSqlCondition | undefined;
/** Keyed by attribute: `userName`, `emails.value`. */
export type ComparisonTranslators = Readonly<Record<string, ComparisonTranslator>>;

const anyRow: SqlTranslation = { condition: undefined, exact: false };

const equal =
  (make: (value: string) => ScimSqlCondition): ComparisonTranslator =>
  (operator, value) =>
    operator === 'eq' && typeof value === 'string' ? make(value) : undefined;

const column = (name: SqlColumn): ComparisonTranslator =>
  equal((value) => ({ kind: 'column', column: name, comparison: '=', value }));

const flag =
  (name: SqlColumn): ComparisonTranslator =>
  (operator, value) =>
    operator === 'eq' && typeof value === 'boolean'
      ? { kind: 'column', column: name, comparison: '=', value: value ? 1 : 0 }
      : undefined;

const COMPARISONS: Readonly<Partial<Record<Operator, SqlComparison>>> = { eq: '=', gt: '>', ge: '>=', lt: '<', le: '<=' };

const time: ComparisonTranslator = (operator, value) => {
  const comparison = COMPARISONS[operator];
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return comparison && !Number.isNaN(at) ? { kind: 'column', column: 'updated_at', comparison, value: at } : undefined;
};

/** The index does not contain empty addresses. */
const email: ComparisonTranslator = (operator, value) =>
  operator === 'eq' && typeof value === 'string' && value !== '' ? { kind: 'email', key: nameKey(value) } : undefined;
const inGroup = equal((id) => ({ kind: 'inGroup', id }));
const withMember = equal((id) => ({ kind: 'withMember', id }));

/** The index on group names folds ASCII only; other names are compared in memory. */
const foldedName: ComparisonTranslator = (operator, value) =>
  operator === 'eq' && typeof value === 'string' && /^[\x20-\x7e]*$/.test(value)
    ? { kind: 'foldedName', value: value.toLowerCase() }
    : undefined;

const common = { id: column('id'), externalId: column('external_id'), 'meta.lastModified': time };

export const userTranslators: ComparisonTranslators = {
  ...common,
  userName: equal((value) => ({ kind: 'column', column: 'name_key', comparison: '=', value: nameKey(value) })),
  active: flag('enabled'),
  emails: email,
  'emails.value': email,
  groups: inGroup,
  'groups.value': inGroup,
};

export const groupTranslators: ComparisonTranslators = {
  ...common,
  displayName: foldedName,
  members: withMember,
  'members.value': withMember,
};

export const organizationTranslators: ComparisonTranslators = { ...common, name: column('name'), active: flag('enabled') };

export function filterToSql(filter: Filter, translators: ComparisonTranslators, prefix = ''): SqlTranslation {
  switch (filter.kind) {
    case 'and':
      return both(filterToSql(filter.left, translators, prefix), filterToSql(filter.right, translators, prefix));
    case 'or':
      return either(filterToSql(filter.left, translators, prefix), filterToSql(filter.right, translators, prefix));
    case 'compare': {
      if (!filter.attributePath) return anyRow;
      const name = prefix + filter.attributePath.keys.join('.');
      const condition = Object.hasOwn(translators, name) ? translators[name]!(filter.operator, filter.value) : undefined;
      return condition ? { condition, exact: true } : anyRow;
    }
    // One element must match all of the filter; the condition checks each comparison on its own.
    case 'element':
      return { ...filterToSql(filter.filter, translators, `${filter.attributePath.keys.join('.')}.`), exact: false };
    default:
      return anyRow;
  }
}

function both(a: SqlTranslation, b: SqlTranslation): SqlTranslation {
  const parts = [a.condition, b.condition].filter((part) => part !== undefined);
  return { condition: parts.length > 1 ? { kind: 'and', parts } : parts[0], exact: a.exact && b.exact };
}

function either(a: SqlTranslation, b: SqlTranslation): SqlTranslation {
  if (!a.condition || !b.condition) return anyRow;
  return { condition: { kind: 'or', parts: [a.condition, b.condition] }, exact: a.exact && b.exact };
}
