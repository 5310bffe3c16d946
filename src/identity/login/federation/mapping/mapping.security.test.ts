// What strangers try through an assertion, and administrators by mistake.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Assertion, applyMapping, validateMapping } from './index.ts';

function map(rules: readonly object[], assertion: Assertion, version = '1.0') {
  const { mapping, problems } = validateMapping(rules, version);
  assert.equal(problems, undefined);
  return applyMapping(mapping!, assertion);
}

const code = (rules: readonly object[], assertion: Assertion, version?: string): string | undefined =>
  map(rules, assertion, version).refusal?.code;

const domain = { id: 'partners' };
const groupsFrom = (requirement: object, groups = '{0}'): object[] => [{ remote: [requirement], local: [{ groups, domain }] }];
const groupNames = (rules: readonly object[], assertion: Assertion): unknown[] => {
  const identity = map(rules, assertion);
  return identity.refusal ? [identity.refusal.code] : identity.groups.map((group) => group.name);
};

/** Far more than it takes, on a machine that does many things at once; for ever is longer. */
const SOON_MS = 5000;

function soon<T>(work: () => T): T {
  const start = performance.now();
  const result = work();
  assert.ok(performance.now() - start < SOON_MS, `it took ${performance.now() - start} ms`);
  return result;
}

describe('Regular expressions and texts made for them', () => {
  const evil = [
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '^(.*a){12}$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(x+x+)+y',
    '^(?=(a+)+$)b',
    '^\\s*(?:a*a*)*$',
    '(?:(?:a?){30}){30}b$',
  ];

  it('end soon, whatever the text', () => {
    for (const pattern of evil) {
      for (const text of [`${'a'.repeat(50_000)}!`, `${'x'.repeat(50_000)}`, `${' '.repeat(50_000)}!`]) {
        const rules = [{ remote: [{ type: 'a', any_one_of: [pattern], regex: true }], local: [{ group: { id: 'g' } }] }];
        const outcome = soon(() => code(rules, { a: text }));
        assert.ok(outcome === 'no_rule_applies' || outcome === 'too_costly' || outcome === undefined, `${pattern}: ${outcome}`);
      }
    }
  });

  it('have one budget for a whole assertion', () => {
    const whitelist = Array.from({ length: 9 }, (_, number) => `^(?:a|b){0,200}x${number}$`);
    const rules = Array.from({ length: 10 }, () => ({
      remote: [{ type: 'a', whitelist, regex: true }],
      local: [{ group_ids: '{0}' }],
    }));
    const a = Array.from({ length: 3000 }, () => 'ab'.repeat(40)).join(';');
    assert.equal(
      soon(() => code(rules, { a })),
      'too_costly',
    );
  });

  it('do with what people have', () => {
    const teams = Array.from({ length: 1500 }, (_, number) => `CN=team-${number},OU=Groups,DC=corp,DC=example,DC=com`).join(';');
    const whitelist = ['^CN=team-1[0-9]{3},', '(?i)^cn=admins,ou=groups,', '.*,OU=Services,.*', '^CN=(?!team-)', 'DC=org$'];
    const rules = [{ remote: [{ type: 'teams', whitelist, regex: true }], local: [{ groups: '{0}', domain }] }];
    assert.equal(groupNames(rules, { teams }).length, 500);
  });

  it('are refused when repetitions make them huge', () => {
    for (const pattern of [
      '(a{1000}){1000}',
      'a{99999}',
      '(((a{99}){99}){99}){99}',
      '(?:a|b{9999})',
      `${'('.repeat(500)}${')'.repeat(500)}`,
      'a'.repeat(4097),
    ]) {
      const { problems } = soon(() => validateMapping(groupsFrom({ type: 'a', whitelist: [pattern], regex: true })));
      assert.equal(problems?.[0]?.place, 'rules.0.remote.0.whitelist.0', pattern.slice(0, 30));
    }
    assert.equal(
      validateMapping(groupsFrom({ type: 'a', whitelist: ['(?:){4000000000}', '(?:(?:){9999}){9999}'], regex: true })).problems,
      undefined,
    );
  });

  it('are refused when they are too many together', () => {
    const whitelist = Array.from({ length: 2000 }, () => '.{0,2000}$');
    const { problems } = soon(() => validateMapping(groupsFrom({ type: 'a', whitelist, regex: true })));
    assert.deepEqual(problems, [{ place: 'rules', why: 'all regular expressions together are too large' }]);
  });
});

describe('Values of an assertion', () => {
  it('do not become several groups by looking like a list', () => {
    for (const value of ["['admins']", '["admins", "x"]', "['a']+['admins']", '[]', ' ["admins"]'])
      assert.deepEqual(groupNames(groupsFrom({ type: 'g', blacklist: ['admins'] }), { g: value }), [value]);
  });

  it('do not end the text they stand in', () => {
    const rules = groupsFrom({ type: 'u' }, "['all', 'of {0}']");
    assert.deepEqual(groupNames(rules, { u: "x', 'admins" }), ['all', "of x', 'admins"]);
    assert.deepEqual(groupNames(rules, { u: '{0}{1}{{' }), ['all', 'of {0}{1}{{']);
  });

  it('do not name a domain where the rule names one', () => {
    const value = 'JSON:{"name":"admins","domain":{"id":"default"}}';
    const identity = map(groupsFrom({ type: 'g' }), { g: value });
    assert.deepEqual(identity.refusal ? [] : identity.groups, [{ name: value, domain }]);
  });

  it('do not make one account of all who have none', () => {
    const rules = [{ remote: [{ type: 'u', whitelist: ['^admin-'], regex: true }], local: [{ user: { name: '{0}' } }] }];
    assert.equal(code(rules, { u: 'mallory' }), 'no_value');
    assert.equal(code(rules, { u: 'admin-ann' }), undefined);
  });

  it('with a newline at the end do not pass for those without, where the end of the text is asked for', () => {
    const rules = (end: string) => [
      { remote: [{ type: 'u', any_one_of: [`^ann${end}`], regex: true }], local: [{ group: { id: 'g' } }] },
    ];
    assert.equal(code(rules('\\Z'), { u: 'ann\n' }), 'no_rule_applies');
    // Python's dollar lets it pass, and so does ours.
    assert.equal(code(rules('$'), { u: 'ann\n' }), undefined);
  });

  it('are read from the assertion itself, not from what every object has', () => {
    for (const type of ['constructor', '__proto__', 'toString', 'hasOwnProperty'])
      assert.equal(code([{ remote: [{ type }], local: [{ group: { id: 'g' } }] }], {}), 'no_rule_applies');
    const assertion = JSON.parse('{"__proto__": "ann"}');
    const identity = map([{ remote: [{ type: '__proto__' }], local: [{ user: { name: '{0}' } }] }], assertion);
    assert.equal(identity.refusal === undefined && identity.user.name, 'ann');
    assert.equal(({} as Record<string, unknown>).name, undefined);
  });

  it('are refused when they cannot be stored as they are', () => {
    const rules = [{ remote: [{ type: 'u' }], local: [{ user: { name: '{0}' } }] }];
    for (const u of ['a\0', 'a\ud800', '\udc00', ['a', 'b\0'], 'x;\ud800;y']) assert.equal(code(rules, { u }), 'invalid_value');
    assert.equal(code(rules, { u: 'a', other: '\0' }), undefined);
    const json = [{ remote: [{ type: 'g' }], local: [{ groups: '{0}' }] }];
    assert.equal(code(json, { g: 'JSON:{"name":"a\\ud800","domain":{"id":"b"}}' }), 'invalid_group');
  });

  it('that are projects are checked like those of a rule', () => {
    const rules = [{ remote: [{ type: 'p' }], local: [{ projects_json: '{0}' }] }];
    const deep = '['.repeat(100_000);
    for (const p of [
      '[{"name":"a","roles":[],"__proto__":{}}]',
      '[{"name":{"$ne":1},"roles":[]}]',
      '[{"name":"a\\u0000","roles":[]}]',
      deep,
      `${deep}${']'.repeat(100_000)}`,
    ])
      assert.equal(
        soon(() => code(rules, { p }, '3.0')),
        'invalid_projects',
      );
  });
});

describe('Assertions and what they grow into', () => {
  it('have a length', () => {
    const rules = [{ remote: [{ type: 'a' }, { type: 'b' }], local: [{ group: { id: 'g' } }] }];
    assert.equal(code(rules, { a: 'x'.repeat(200_000), b: 'x' }), undefined);
    assert.equal(code(rules, { a: 'x'.repeat(200_000), b: 'x'.repeat(200_000) }), 'too_large');
    assert.equal(code(rules, { a: Array.from({ length: 300_000 }, () => ''), b: 'x' }), 'too_large');
    assert.equal(code(rules, { a: 'x', b: 'x', other: 'x'.repeat(1_000_000) }), undefined);
  });

  it('give texts and groups in bounds', () => {
    const name = '{0}'.repeat(1300);
    assert.equal(code([{ remote: [{ type: 'a' }], local: [{ user: { name } }] }], { a: 'x'.repeat(100_000) }), 'too_large');
    assert.equal(
      code([{ remote: [{ type: 'a' }], local: [{ user: { name: '{0}' } }] }], { a: 'x;'.repeat(100_000) }),
      'too_large',
    );
    const many = Array.from({ length: 20_000 }, (_, number) => `g${number}`).join(';');
    assert.equal(code(groupsFrom({ type: 'g' }), { g: many }), 'too_large');
    assert.equal(code(groupsFrom({ type: 'g' }), { g: `a;${'x'.repeat(5000)}` }), 'too_large');
  });

  it('give projects and roles in bounds: each is looked up', () => {
    const rules = [{ remote: [{ type: 'p' }], local: [{ user: { name: 'ann' }, projects_json: '{0}' }] }];
    const roles = (count: number) => Array.from({ length: count }, (_, number) => ({ name: `role-${number}` }));
    const refusal = (projects: readonly object[]) => code(rules, { p: [JSON.stringify(projects)] }, '3.0');
    assert.equal(refusal([{ name: 'a', roles: roles(999) }]), undefined);
    assert.equal(refusal([{ name: 'a', roles: roles(1000) }]), 'too_large');
    assert.equal(refusal(Array.from({ length: 1001 }, (_, number) => ({ name: `p${number}`, roles: [] }))), 'too_large');
  });

  it('are joined only when that is short', () => {
    const rules = [{ remote: [{ type: 'a' }], local: [{ user: { name: '{0}'.repeat(1300) } }] }];
    for (const a of [';'.repeat(200_000), '\u{e0001};'.repeat(60_000), '\u{e0001};'.repeat(500)])
      assert.equal(
        soon(() => code(rules, { a })),
        'too_large',
      );
  });

  it('are parsed only so often', () => {
    const local = Array.from({ length: 3000 }, () => ({ projects_json: '{0}', groups: '{1}' }));
    const p = JSON.stringify(Array.from({ length: 3000 }, () => ({ name: 'a', roles: [] })));
    const g = Array.from({ length: 1000 }, () => 'JSON:{"name":"a","domain":{"id":"b"}}').join(';');
    assert.equal(
      soon(() => code([{ remote: [{ type: 'p' }, { type: 'g' }], local }], { p, g }, '3.0')),
      'too_costly',
    );
  });

  it('cost little when many rules read many values', () => {
    const rules = Array.from({ length: 2000 }, () => ({
      remote: [{ type: 'g', blacklist: ['x'] }],
      local: [{ groups: '{0}', domain }],
    }));
    const g = Array.from({ length: 9000 }, (_, number) => `g${number}`).join(';');
    assert.equal(
      soon(() => code(rules, { g })),
      'too_costly',
    );
  });
});

describe('A mapping', () => {
  it('cannot ask for more of a value than the value', () => {
    for (const name of ['{0.__class__}', '{0[0]}', '{0!r}', '{0:>99999999}', '{0.__init__.__globals__}', '{-1}', '{0 }'])
      assert.equal(
        validateMapping([{ remote: [{ type: 'a' }], local: [{ user: { name } }] }]).problems?.[0]?.place,
        'rules.0.local.0.user.name',
      );
  });

  it('keeps nobody out by a value that is no text: it is refused', () => {
    for (const value of [1, null, true, {}, ['admins']])
      assert.equal(
        validateMapping(groupsFrom({ type: 'a', blacklist: [value] })).problems?.[0]?.place,
        'rules.0.remote.0.blacklist.0',
      );
  });

  it('is read without trusting the names of its properties', () => {
    const rules = JSON.parse(
      '[{"local": [{"__proto__": {"user": {"name": "x"}}, "user": {"__proto__": {}}}], "remote": [{"type": "a", "constructor": 1}]}]',
    );
    const places = validateMapping(rules).problems?.map(({ place }) => place);
    assert.deepEqual(places, ['rules.0.remote.0.constructor', 'rules.0.local.0.__proto__', 'rules.0.local.0.user.__proto__']);
  });

  it('is not changed by being applied', () => {
    const { mapping } = validateMapping(
      [{ remote: [{ type: 'u' }], local: [{ user: { name: '{0}' }, domain, projects: [{ name: 'p', roles: [] }] }] }],
      '2.0',
    );
    const first = JSON.stringify(applyMapping(mapping!, { u: 'ann' }));
    applyMapping(mapping!, { u: 'bob' });
    assert.equal(JSON.stringify(applyMapping(mapping!, { u: 'ann' })), first);
  });

  it('does not tell values in its refusals', () => {
    const secret = 'hunter2';
    const refusals = [
      map([{ remote: [{ type: 'u', whitelist: ['x'] }], local: [{ user: { name: '{0}' } }] }], { u: secret }),
      map([{ remote: [{ type: 'u' }], local: [{ groups: '{0}' }] }], { u: secret }),
      map([{ remote: [{ type: 'u' }], local: [{ groups: '{0}' }] }], { u: `JSON:{"${secret}"` }),
      map([{ remote: [{ type: 'u' }], local: [{ groups: '{0}' }] }], { u: `JSON:{"${secret}":1}` }),
      map([{ remote: [{ type: 'u' }], local: [{ projects_json: '{0}' }] }], { u: `[{"${secret}":1}]` }, '3.0'),
      map([{ remote: [{ type: 'none' }], local: [] }], { u: secret }),
    ];
    for (const { refusal } of refusals) assert.ok(refusal && !refusal.why.includes(secret), refusal?.why);
  });
});
