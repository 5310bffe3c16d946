// Hand-written cases where both must give the same result. differences.ts has the others.
import type { MappingCase } from './cases.ts';
import type { Outcome } from './compare.ts';

type Version = '1.0' | '2.0' | '3.0';

export interface EdgeCase extends MappingCase {
  readonly title: string;
  /** If it is missing, both must give the same result. */
  readonly difference?: { readonly keystone: Outcome['outcome'] | 'timeout'; readonly ours: Outcome['outcome'] };
}

export type Rule = { readonly remote: readonly object[]; readonly local: readonly object[] };

export const rule = (remote: readonly object[], ...local: object[]): Rule => ({ remote, local });
export const attributes = (...types: string[]): object[] => types.map((type) => ({ type }));

export function same(title: string, version: Version, assertion: object, ...rules: Rule[]): EdgeCase {
  return { title, version, rules, assertion: assertion as EdgeCase['assertion'] };
}

export const ann = { user: 'ann', groups: 'dev;ops', mail: 'ann@example.com' };
export const named = { user: { name: '{0}' } };
export const inDefault = { domain: { name: 'Default' } };

const order: EdgeCase[] = [
  same(
    'the first user counts',
    '1.0',
    ann,
    rule(attributes('user'), named, { user: { name: 'x{0}' } }),
    rule(attributes('mail'), named),
  ),
  same('an empty user does not count', '1.0', ann, rule(attributes('user'), { user: {} }, named)),
  same('no user', '1.0', ann, rule(attributes('user'), { group: { id: 'g' } })),
  same('an empty local entry', '1.0', ann, rule(attributes('user'), {})),
  same('a rule without local entries', '1.0', ann, rule(attributes('user'))),
  same(
    'groups of all rules add up',
    '1.0',
    ann,
    rule(attributes('user'), { group: { id: 'a' } }),
    rule(attributes('mail'), { group: { id: 'b' }, group_ids: 'c' }),
  ),
  same(
    'the same group twice',
    '1.0',
    ann,
    rule(
      attributes('user'),
      { group: { name: 'g', ...inDefault } },
      { groups: 'g', ...inDefault },
      { group: { name: 'h', ...inDefault } },
    ),
  ),
  same(
    'groups of one name in domains by id and name',
    '1.0',
    ann,
    rule(attributes('user'), { group: { name: 'g', domain: { id: 'd' } } }, { group: { name: 'g', domain: { name: 'd' } } }),
  ),
  same(
    'the last list of projects counts',
    '1.0',
    ann,
    rule(attributes('user'), { projects: [{ name: 'a', roles: [] }] }, { projects: [{ name: 'b', roles: [] }] }),
  ),
  same(
    'an empty list of projects counts',
    '1.0',
    ann,
    rule(attributes('user'), { projects: [{ name: 'a', roles: [] }] }, { projects: [] }),
  ),
  same('no rule applies', '1.0', ann, rule(attributes('nothing'), named)),
  same('only one of two requirements', '1.0', ann, rule(attributes('user', 'nothing'), named)),
];

const values: EdgeCase[] = [
  same('an empty text is a value', '1.0', { user: '' }, rule(attributes('user'), named)),
  same('an empty text between semicolons', '1.0', { user: 'a;;b' }, rule(attributes('user'), { groups: '{0}', ...inDefault })),
  same('a semicolon alone', '1.0', { user: ';' }, rule(attributes('user'), named)),
  same(
    'spaces are part of values',
    '1.0',
    { user: 'a; b' },
    rule([{ type: 'user' }, { type: 'user', any_one_of: ['b'] }], named),
  ),
  same('names of attributes are case-sensitive', '1.0', { User: 'ann' }, rule(attributes('user'), named)),
  same(
    'numbers and objects are ignored',
    '1.0',
    { user: 1, mail: { a: 'b' }, groups: 'g' },
    rule(attributes('user'), named),
    rule(attributes('mail'), named),
  ),
  same('several values in a text', '1.0', { user: 'o\'neil;"x";tab\t;é\u00a0\u200b;\\;\'"' }, rule(attributes('user'), named)),
  same(
    'attributes with names that JavaScript objects inherit',
    '1.0',
    { user: 'ann' },
    rule(attributes('constructor'), named),
    rule(attributes('__proto__'), named),
  ),
  same('characters beyond 16 bits', '1.0', { user: '𝔄𝔫𝔫;😀' }, rule(attributes('user'), named)),
  same('whitelist of nothing, to groups', '1.0', ann, rule([{ type: 'groups', whitelist: [] }], { groups: '{0}', ...inDefault })),
  same('blacklist of nothing', '1.0', ann, rule([{ type: 'groups', blacklist: [] }], { group_ids: '{0}' })),
  same('any_one_of nothing', '1.0', ann, rule([{ type: 'user' }, { type: 'groups', any_one_of: [] }], named)),
  same('not_any_of nothing', '1.0', ann, rule([{ type: 'user' }, { type: 'groups', not_any_of: [] }], named)),
  same(
    'not_any_of an attribute that is missing',
    '1.0',
    ann,
    rule([{ type: 'user' }, { type: 'nothing', not_any_of: ['x'] }], named),
  ),
  same('a condition gives no value', '1.0', ann, rule([{ type: 'groups', any_one_of: ['dev'] }, { type: 'user' }], named)),
  same(
    'a filter gives its values',
    '1.0',
    ann,
    rule([{ type: 'groups', whitelist: ['ops', 'x'] }, { type: 'user' }], { user: { name: '{1} {0}' } }),
  ),
  same(
    'a repeated value, filtered',
    '1.0',
    { groups: 'a;b;a' },
    rule([{ type: 'groups', blacklist: ['b'] }], { user: { name: '{0}' } }),
  ),
];

const texts: EdgeCase[] = [
  same('literal braces', '1.0', ann, rule(attributes('user'), { user: { name: '{{0}} {{{0}}}' } })),
  same('placeholders without numbers', '1.0', ann, rule(attributes('user', 'mail'), { user: { name: '{} {}' } })),
  same('a placeholder with leading zeros', '1.0', ann, rule(attributes('user'), { user: { name: '{00}' } })),
  same(
    'a text without placeholders',
    '1.0',
    ann,
    rule([{ type: 'user', any_one_of: ['ann'] }], { user: { name: 'x', email: '' } }),
  ),
  same(
    'groups: a constant list',
    '1.0',
    ann,
    rule(attributes('user'), { groups: '["a", \'b\', ]', ...inDefault }, { group_ids: "['c', '{0}']" }),
  ),
  same('groups: a text before several values', '1.0', ann, rule(attributes('groups'), { groups: 'x-{0}', ...inDefault })),
  same(
    'groups: a number that is one value',
    '1.0',
    { groups: '1234' },
    rule(attributes('groups'), { groups: '{0}', ...inDefault }),
  ),
  same('groups without a domain', '1.0', ann, rule(attributes('groups'), { groups: '{0}' })),
  same(
    'groups of another Keystone',
    '1.0',
    { g: 'JSON:{"name":"a","domain":{"name":"x"}};JSON:{"name":"b","domain":{"id":"y"}}' },
    rule(attributes('g'), { groups: '{0}' }),
  ),
  same(
    'one group of another Keystone',
    '1.0',
    { g: 'JSON:{"name":"a","domain":{"name":"x"}}' },
    rule(attributes('g'), { groups: '{0}' }),
  ),
  same('a group of another Keystone without domain', '1.0', { g: 'JSON:{"name":"a"}' }, rule(attributes('g'), { groups: '{0}' })),
  same(
    'a local user',
    '1.0',
    ann,
    rule(attributes('user'), { user: { id: '{0}', type: 'local', domain: { id: 'd', name: 'n' } } }),
  ),
];

const versions: EdgeCase[] = [
  same('1.0: the domain is not for the user', '1.0', ann, rule(attributes('user'), { ...named, ...inDefault })),
  same('2.0: the domain is also for the user', '2.0', ann, rule(attributes('user'), { ...named, ...inDefault })),
  same(
    '2.0: the user has a domain',
    '2.0',
    ann,
    rule(attributes('user'), { user: { name: '{0}', domain: { id: 'own' } }, ...inDefault }),
  ),
  same(
    '2.0: the last domain is that of the user',
    '2.0',
    ann,
    rule(attributes('user'), { ...named, domain: { id: 'a' } }, { groups: 'g', domain: { id: 'b' } }),
  ),
  same(
    '2.0: the last element has no domain',
    '2.0',
    ann,
    rule(attributes('user'), { ...named, domain: { id: 'a' } }, { group: { id: 'g' } }),
  ),
  same(
    '2.0: the domain of projects',
    '2.0',
    ann,
    rule(attributes('user'), {
      projects: [
        { name: 'a', roles: [] },
        { name: '{0}', roles: [{ name: 'r' }], domain: { id: 'own' } },
      ],
      ...inDefault,
    }),
  ),
  same(
    '1.0: projects have no domain',
    '1.0',
    ann,
    rule(attributes('user'), { projects: [{ name: 'a', roles: [], domain: { id: 'd' } }] }),
  ),
  same('2.0: no projects_json', '2.0', ann, rule(attributes('user'), { projects_json: '{0}' })),
  same(
    '3.0: projects_json after projects',
    '3.0',
    { p: '[{"name":"b","roles":[{"name":"r"}]},{"name":"c","roles":[],"domain":{"id":"d"}}]' },
    rule(attributes('p'), { projects: [{ name: 'a', roles: [] }], projects_json: '{0}', ...inDefault }),
  ),
  same('3.0: projects_json, the number alone', '3.0', { p: '[]' }, rule(attributes('p'), { projects_json: '0' })),
  same('3.0: projects_json, several values', '3.0', { p: '[];[]' }, rule(attributes('p'), { projects_json: '{0}' })),
  same('3.0: projects_json, not projects', '3.0', { p: '[{"name":"b"}]' }, rule(attributes('p'), { projects_json: '{0}' })),
  same('3.0: projects_json, no value', '3.0', { p: 'x' }, rule([{ type: 'p', whitelist: ['y'] }], { projects_json: '{0}' })),
];

const expressions: EdgeCase[] = [
  same(
    'a regular expression can match anywhere',
    '1.0',
    ann,
    rule([{ type: 'user' }, { type: 'mail', any_one_of: ['@example'], regex: true }], named),
  ),
  same(
    'a dollar before the last newline',
    '1.0',
    { user: 'ann\n' },
    rule([{ type: 'user' }, { type: 'user', any_one_of: ['^ann$'], regex: true }], named),
  ),
  same(
    'case ignored, in Turkish',
    '1.0',
    { user: 'İstanbul;ılık' },
    rule([{ type: 'user', whitelist: ['(?i)^i'], regex: true }], { group_ids: '{0}' }),
  ),
  same(
    'case ignored, sharp s',
    '1.0',
    { user: 'STRAẞE;STRASSE' },
    rule([{ type: 'user', whitelist: ['(?i)straße'], regex: true }], { group_ids: '{0}' }),
  ),
  same(
    'digits of other scripts',
    '1.0',
    { user: '٣' },
    rule([{ type: 'user', any_one_of: ['^\\d$'], regex: true }], { group: { id: 'g' } }),
  ),
  same(
    'regex: false',
    '1.0',
    { user: 'a.c;abc' },
    rule([{ type: 'user', whitelist: ['a.c'], regex: false }], { group_ids: '{0}' }),
  ),
];

export const edgeCases: readonly EdgeCase[] = [...order, ...values, ...texts, ...versions, ...expressions];
