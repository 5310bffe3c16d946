// The usual of a mapping as the values of a form: who people are, who of them gets in, their groups and roles. What else a mapping says is a text.

export interface UsualMapping {
  /** Names of claims. */
  readonly name: string;
  readonly email: string;
  /** Only people with this claim and one of these values get in. */
  readonly onlyClaim: string;
  readonly onlyValues: readonly string[];
  readonly groupsClaim: string;
  /** A value there, and the name of the group here. */
  readonly groups: readonly (readonly [there: string, here: string])[];
  /** Empty: everybody. */
  readonly rolesClaim: string;
  readonly rolesValues: readonly string[];
  readonly roles: readonly (readonly [organization: string, role: string])[];
}

interface Remote {
  readonly type: string;
  readonly any_one_of?: readonly string[];
  readonly whitelist?: readonly string[];
}
type Rule = { readonly local: readonly unknown[]; readonly remote: readonly Remote[] };

/** Above it, `groups` of one rule need no `domain` of their own. */
export const SCHEMA_VERSION = '2.0';

export function writeUsual(usual: UsualMapping, domainId: string): Rule[] {
  const { name, email, onlyClaim, onlyValues, groupsClaim, groups, rolesClaim, rolesValues, roles } = usual;
  const only: Remote[] = onlyClaim === '' ? [] : [{ type: onlyClaim, any_one_of: onlyValues }];
  const isOne = email === '' || email === name;
  const user = { name: '{0}', ...(email === '' ? {} : { email: isOne ? '{0}' : '{1}' }) };
  const who: Rule = { local: [{ user }], remote: [{ type: name }, ...(isOne ? [] : [{ type: email }]), ...only] };
  const same = groups.filter(([there, here]) => there === here).map(([there]) => there);
  const others = groups.filter(([there, here]) => there !== here);
  const domain = { id: domainId };
  const projects = [...Map.groupBy(roles, ([organization]) => organization)].map(([organization, own]) => ({
    name: organization,
    roles: own.map(([, role]) => ({ name: role })),
  }));
  // Each rule has the condition: somebody who is known already gets in when any rule applies.
  const rule = (local: object, remote: Remote): Rule => ({ local: [local], remote: [remote, ...only] });
  const group = ([there, here]: readonly [string, string]): Rule =>
    rule({ group: { name: here, domain } }, { type: groupsClaim, any_one_of: [there] });
  return [
    who,
    ...(same.length === 0 ? [] : [rule({ groups: '{0}', domain }, { type: groupsClaim, whitelist: same })]),
    ...others.map(group),
    ...(projects.length === 0
      ? []
      : [rule({ projects }, rolesClaim === '' ? { type: name } : { type: rolesClaim, any_one_of: rolesValues })]),
  ];
}

/** Objects with their keys in one order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
}
const sameText = (one: unknown, other: unknown): boolean => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

interface Local {
  readonly user?: { readonly email?: string };
  readonly groups?: string;
  readonly group?: { readonly name?: string };
  readonly projects?: readonly { readonly name: string; readonly roles: readonly { readonly name: string }[] }[];
}

function guess(rules: readonly Rule[]): UsualMapping {
  const [who, ...others] = rules;
  const [named, ...more] = who!.remote;
  const condition = more.find((one) => one.any_one_of);
  const { user } = who!.local[0] as Local;
  const mail = more.find((one) => !one.any_one_of);
  const of = (key: keyof Local) => others.filter((rule) => (rule.local[0] as Local)[key] !== undefined);
  const [whitelisted, single, given] = [of('groups'), of('group'), of('projects')];
  const claim = (rule: Rule | undefined): Remote | undefined => rule?.remote[0];
  const everybody = claim(given[0])?.any_one_of === undefined;
  return {
    name: named!.type,
    email: user?.email === undefined ? '' : (mail?.type ?? named!.type),
    onlyClaim: condition?.type ?? '',
    onlyValues: condition?.any_one_of ?? [],
    groupsClaim: claim(whitelisted[0] ?? single[0])?.type ?? '',
    groups: [
      ...whitelisted.flatMap((rule) => (claim(rule)!.whitelist ?? []).map((one) => [one, one] as const)),
      ...single.map((rule) => [claim(rule)!.any_one_of![0]!, (rule.local[0] as Local).group!.name!] as const),
    ],
    rolesClaim: everybody ? '' : claim(given[0])!.type,
    rolesValues: everybody ? [] : claim(given[0])!.any_one_of!,
    roles: given.flatMap((rule) =>
      (rule.local[0] as Local).projects!.flatMap(({ name, roles }) => roles.map((role) => [name, role.name] as const)),
    ),
  };
}

/** Undefined when the mapping says something that the form cannot say. */
export function readUsual(rules: readonly unknown[], domainId: string): UsualMapping | undefined {
  try {
    const usual = guess(rules as readonly Rule[]);
    return sameText(writeUsual(usual, domainId), rules) ? usual : undefined;
  } catch {
    return undefined;
  }
}
