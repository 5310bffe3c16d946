// Hand-written cases for every known difference, with the outcome on each side. README.md gives the reasons.
import type { Outcome } from './compare.ts';
import { ann, attributes, type EdgeCase, inDefault, named, type Rule, rule, same } from './edge-cases.ts';

function differs(keystone: NonNullable<EdgeCase['difference']>['keystone'], ours: Outcome['outcome']) {
  return (title: string, version: string, assertion: object, ...rules: Rule[]): EdgeCase => ({
    ...same(title, version as '1.0', assertion, ...rules),
    difference: { keystone, ours },
  });
}

export const differences: readonly EdgeCase[] = [
  differs('refused', 'mapped')(
    'a group whose name has "name" in it',
    '1.0',
    { g: 'namesakes' },
    rule(attributes('g'), { groups: '{0}', ...inDefault }),
  ),
  differs('server error', 'mapped')(
    'a group whose name has "name" and "domain" in it',
    '1.0',
    { g: 'domain-names' },
    rule(attributes('g'), { groups: '{0}', ...inDefault }),
  ),
  differs('mapped', 'mapped')(
    'a value that looks like a list of groups, and a blacklist',
    '1.0',
    { g: "['admins']" },
    rule([{ type: 'g', blacklist: ['admins'] }], { groups: '{0}', ...inDefault }),
  ),
  differs('mapped', 'mapped')(
    'a quote in a value, in a constant list',
    '1.0',
    { u: "x', 'admins" },
    rule(attributes('u'), { group_ids: "['all', '{0}']" }),
  ),
  differs('mapped', 'mapped')('a constant list of numbers', '1.0', ann, rule(attributes('user'), { group_ids: '[1, 2]' })),
  differs('mapped', 'mapped')(
    'a group of another Keystone, and a domain in the rule',
    '1.0',
    { g: 'JSON:{"name":"admins","domain":{"id":"default"}}' },
    rule(attributes('g'), { groups: '{0}', domain: { id: 'partners' } }),
  ),
  differs('server error', 'refused')(
    'a group of another Keystone that is no JSON',
    '1.0',
    { g: 'JSON:{"name"' },
    rule(attributes('g'), { groups: '{0}' }),
  ),
  differs('mapped', 'refused')(
    'no value after a filter, for the user name',
    '1.0',
    { u: 'mallory' },
    rule([{ type: 'u', whitelist: ['ann'] }], { user: { name: '{0}' } }),
  ),
  differs('mapped', 'mapped')(
    'no value after a filter, for a group name',
    '1.0',
    { u: 'mallory' },
    rule([{ type: 'u', whitelist: ['ann'] }], { group: { name: '{0}', ...inDefault } }),
  ),
  differs('mapped', 'mapped')(
    'a value twice, through a whitelist of expressions, in a text',
    '1.0',
    { u: 'a;a' },
    rule([{ type: 'u', whitelist: ['a'], regex: true }], { user: { name: '{0}' } }),
  ),
  differs('refused', 'mapped')(
    'a list of texts in an assertion',
    '1.0',
    { u: ['a;b', 'c'] },
    rule(attributes('u'), { group_ids: '{0}' }),
  ),
  differs('server error', 'refused')(
    '3.0: projects_json that is no JSON',
    '3.0',
    { p: 'x' },
    rule(attributes('p'), { projects_json: '{0}' }),
  ),
  differs('mapped', 'invalid')(
    '3.0: projects_json with more than a number',
    '3.0',
    { p: '[]' },
    rule(attributes('p'), { projects_json: '{0} or so' }),
  ),
  differs('server error', 'invalid')(
    'an invalid regular expression',
    '1.0',
    ann,
    rule([{ type: 'user', any_one_of: ['('], regex: true }], named),
  ),
  differs('mapped', 'invalid')(
    'a regular expression with a back-reference',
    '1.0',
    ann,
    rule([{ type: 'user' }, { type: 'user', any_one_of: ['(n)\\1'], regex: true }], named),
  ),
  differs('timeout', 'refused')(
    'a regular expression that backtracks',
    '1.0',
    { u: `${'a'.repeat(60)}!` },
    rule([{ type: 'u', any_one_of: ['^(a+)+$'], regex: true }], { user: { name: 'x' } }),
  ),
  differs('mapped', 'invalid')(
    'an attribute of a value',
    '1.0',
    ann,
    rule(attributes('user'), { user: { name: '{0.__class__}' } }),
  ),
  differs('mapped', 'invalid')('an item of a value', '1.0', ann, rule(attributes('groups'), { user: { name: '{0[1]}' } })),
  differs('mapped', 'invalid')('the width of a value', '1.0', ann, rule(attributes('user'), { user: { name: '{0:>999999}' } })),
  differs('server error', 'invalid')('a word in braces', '1.0', ann, rule(attributes('user'), { user: { name: '{user}' } })),
  differs('refused', 'invalid')(
    'a placeholder without a value',
    '1.0',
    ann,
    rule([{ type: 'user', any_one_of: ['ann'] }], named),
  ),
  differs('mapped', 'invalid')(
    'a number as value of a condition',
    '1.0',
    { u: '1' },
    rule([{ type: 'u' }, { type: 'u', not_any_of: [1] }], named),
  ),
  differs('mapped', 'invalid')(
    'a domain that is an empty object',
    '1.0',
    ann,
    rule(attributes('user'), { user: { name: '{0}', domain: {} } }),
  ),
  differs('server error', 'invalid')('an unknown schema version', '4.0', ann, rule(attributes('user'), named)),
  differs('mapped', 'invalid')('a NUL character in a mapping', '1.0', ann, rule(attributes('user'), { user: { name: 'a\0' } })),
  differs('mapped', 'refused')(
    'an attribute of a million characters',
    '1.0',
    { u: 'a'.repeat(1_000_000) },
    rule([{ type: 'u', any_one_of: ['b'] }], {}),
    rule(attributes('u'), { group: { id: 'g' } }),
  ),
  differs('mapped', 'refused')('a NUL character in an assertion', '1.0', { u: 'a\0' }, rule(attributes('u'), named)),
];
