// Compares the outcomes of one case: the same, a known difference, or a disagreement.
import { applyMapping, type MappedIdentity, validateMapping } from '../../src/identity/login/federation/mapping/index.ts';
import type { MappingCase } from './cases.ts';

/** `invalid`: the mapping is refused when it is stored. `refused`: the login is refused. `server error`: it fails with status 500. */
export interface Outcome {
  readonly outcome: 'invalid' | 'refused' | 'server error' | 'mapped';
  readonly why?: string;
  readonly result?: Result;
}

interface Result {
  readonly user: Record<string, any>;
  readonly groups: readonly any[];
  readonly groupIds: readonly any[];
  readonly projects: readonly any[];
}

/** Sorts keys and removes domains that are null. */
function canonical(value: any): any {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, inner]) => !(key === 'domain' && inner === null));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, canonical(inner)]));
}

const text = (value: unknown): string => JSON.stringify(canonical(value));

/** Sorts groups and removes duplicates, which Keystone has. */
const unordered = (values: readonly any[]): any[] =>
  [...new Map(values.map((value) => [text(value), canonical(value)])).entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => value);

const resultOf = (user: object, groups: readonly any[], groupIds: readonly any[], projects: readonly any[]): Result => ({
  user: canonical(user),
  groups: unordered(groups),
  groupIds: unordered(groupIds),
  projects: canonical(projects),
});

export function ours({ rules, version, assertion }: MappingCase): Outcome {
  const { mapping, problems } = validateMapping(rules, version);
  if (!mapping) return { outcome: 'invalid', why: problems.map(({ place, why }) => `${place}: ${why}`).join('\n') };
  const identity: MappedIdentity | { refusal: { code: string } } = applyMapping(mapping, assertion);
  if (identity.refusal) return { outcome: 'refused', why: identity.refusal.code };
  return { outcome: 'mapped', result: resultOf(identity.user, identity.groups, identity.groupIds, identity.projects) };
}

export function theirs(answer: any): Outcome {
  if (answer.outcome !== 'mapped') return answer;
  const { user, group_names, group_ids, projects } = answer.result;
  // Keystone's login continues with group['name'].
  if (group_names.some((group: unknown) => typeof group !== 'object')) return { outcome: 'server error', why: 'TypeError' };
  return { outcome: 'mapped', result: resultOf(user, group_names, group_ids, projects) };
}

/** Mappings that we refuse and Keystone accepts. README.md gives the reasons. */
const STRICTER: readonly (readonly [RegExp, string])[] = [
  [/^schema_version: /, 'an unknown schema version'],
  [/there is no \{\d/, 'a placeholder without a value'],
  [/braces may contain|must be written as|cannot be mixed/, 'braces without a number'],
  [/(any_one_of|not_any_of|whitelist|blacklist)\.\d+: must be a string/, 'a condition with a value that is not a string'],
  [/domain: it needs an id or a name/, 'a domain that is an empty object'],
  [/regular expression cannot be used/, 'an invalid or unsupported regular expression'],
  [/must be one placeholder/, 'projects_json that is not one placeholder'],
];

const EMPTY = '[]';
const textsOf = (value: unknown): string[] => (typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(textsOf));
const hasEmptyText = (value: unknown): boolean => textsOf(value).some((inner) => inner.includes(EMPTY));

/** Keystone's result without everything that contains `[]` for a missing value; undefined if the user does. */
function withoutEmpty({ user, groups, groupIds, projects }: Result): Result | undefined {
  if (hasEmptyText(user)) return undefined;
  return {
    user,
    groups: groups.filter((group) => !hasEmptyText(group)),
    groupIds: groupIds.filter((id) => !hasEmptyText(id)),
    projects: projects
      .filter(({ name, domain }) => !hasEmptyText([name, domain]))
      .map((project) => ({ ...project, roles: project.roles.filter((role: unknown) => !hasEmptyText(role)) })),
  };
}

export const sameOutcome = (our: Outcome, their: Outcome): boolean =>
  our.outcome === their.outcome && text(our.result ?? null) === text(their.result ?? null);

/** Undefined if both are the same, the name of a known difference, or false for a disagreement. */
export function difference(our: Outcome, their: Outcome): string | undefined | false {
  if (our.outcome === 'invalid' && their.outcome !== 'invalid') {
    return STRICTER.find(([why]) => why.test(our.why!))?.[1] ?? false;
  }
  if (our.outcome === 'refused' && their.outcome === 'server error') return 'a refusal instead of a server error';
  if (our.outcome !== their.outcome && !(our.outcome === 'refused' && their.result)) return false;
  if (their.result && hasEmptyText(their.result)) {
    const rest = withoutEmpty(their.result);
    const isSame = rest ? text(rest) === text(our.result ?? null) : our.why === 'no_value';
    return isSame && 'no value after a filter';
  }
  return sameOutcome(our, their) ? undefined : false;
}
