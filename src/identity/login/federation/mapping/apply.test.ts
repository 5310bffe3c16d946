import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Assertion, applyMapping, validateMapping } from './index.ts';

type Rules = readonly { readonly remote: readonly object[]; readonly local: readonly object[] }[];

function map(rules: Rules, assertion: Assertion, version = '1.0') {
  const { mapping, problems } = validateMapping(rules, version);
  assert.equal(problems, undefined);
  return applyMapping(mapping!, assertion);
}

function mapped(rules: Rules, assertion: Assertion, version?: string) {
  const identity = map(rules, assertion, version);
  assert.equal(identity.refusal, undefined);
  return identity as Extract<typeof identity, { user: unknown }>;
}

const refusal = (rules: Rules, assertion: Assertion, version?: string): string | undefined =>
  map(rules, assertion, version).refusal?.code;

const domain = { name: 'Default' };
const ann = { uid: 'ann', given: 'Ann', family: 'Lee', mail: 'ann@example.com', teams: 'dev;ops;all' };
const groupNames = (rules: Rules, assertion: Assertion = ann): string[] =>
  mapped(rules, assertion).groups.map(({ name }) => name);
/** The groups that one requirement on `teams` lets through. */
const through = (condition: object): string[] =>
  groupNames([{ remote: [{ type: 'teams', ...condition }], local: [{ groups: '{0}', domain }] }]);
/** Whether a rule with one requirement on `teams` applies. */
const applies = (condition: object): boolean =>
  refusal([{ remote: [{ type: 'teams', ...condition }], local: [{ group: { id: 'g' } }] }], ann) === undefined;

describe('A rule', () => {
  it('fills values into its texts, by their number', () => {
    const remote = [{ type: 'given' }, { type: 'family' }, { type: 'mail' }];
    const local = [{ user: { id: '{2}', name: '{0} {1}', email: '{2}', domain: { id: 'd-{1}' } } }];
    assert.deepEqual(mapped([{ remote, local }], ann), {
      user: { id: 'ann@example.com', name: 'Ann Lee', email: 'ann@example.com', domain: { id: 'd-Lee' }, type: 'ephemeral' },
      groups: [],
      groupIds: [],
      projects: [],
    });
  });

  it('counts no value for a condition', () => {
    const remote = [{ type: 'teams', any_one_of: ['dev'] }, { type: 'teams', not_any_of: ['x'] }, { type: 'uid' }];
    assert.equal(mapped([{ remote, local: [{ user: { name: '{0}' } }] }], ann).user.name, 'ann');
  });

  it('applies when all its requirements are met', () => {
    const rules = [{ remote: [{ type: 'uid' }, { type: 'title' }], local: [{ user: { name: '{0}' } }] }];
    assert.equal(refusal(rules, ann), 'no_rule_applies');
    assert.equal(refusal(rules, { ...ann, title: '' }), undefined);
  });

  it('needs the attribute even when it excludes values of it', () => {
    const rules = [{ remote: [{ type: 'title', not_any_of: ['x'] }], local: [{ group: { id: 'g' } }] }];
    assert.equal(refusal(rules, ann), 'no_rule_applies');
  });

  it('that applies and says nothing is as none', () => {
    assert.equal(refusal([{ remote: [{ type: 'uid' }], local: [] }], ann), 'no_rule_applies');
    assert.deepEqual(mapped([{ remote: [{ type: 'uid' }], local: [{}] }], ann).user, { type: 'ephemeral' });
  });
});

describe('Conditions', () => {
  it('any_one_of asks for one of the values', () => {
    assert.deepEqual(
      [applies({ any_one_of: ['x', 'ops'] }), applies({ any_one_of: ['x'] }), applies({ any_one_of: [] })],
      [true, false, false],
    );
  });

  it('not_any_of asks for none of them', () => {
    assert.deepEqual(
      [applies({ not_any_of: ['x', 'ops'] }), applies({ not_any_of: ['x'] }), applies({ not_any_of: [] })],
      [false, true, true],
    );
  });

  it('whitelist lets through what is listed', () => {
    assert.deepEqual([through({ whitelist: ['ops', 'dev', 'x'] }), through({ whitelist: [] })], [['dev', 'ops'], []]);
  });

  it('blacklist keeps out what is listed', () => {
    assert.deepEqual(
      [through({ blacklist: ['ops'] }), through({ blacklist: [] })],
      [
        ['dev', 'all'],
        ['dev', 'ops', 'all'],
      ],
    );
  });

  it('compare whole texts, in their case', () => {
    assert.deepEqual(
      [applies({ any_one_of: ['de'] }), applies({ any_one_of: ['Dev'] }), applies({ any_one_of: ['.*'] })],
      [false, false, false],
    );
  });

  it('with regex search for expressions', () => {
    const regex = true;
    assert.deepEqual([applies({ any_one_of: ['^o'], regex }), applies({ any_one_of: ['^x', 'z$'], regex })], [true, false]);
    assert.deepEqual([applies({ not_any_of: ['^x'], regex }), applies({ not_any_of: ['^x', 'l{2}'], regex })], [true, false]);
    assert.deepEqual(through({ whitelist: ['^[do]'], regex }), ['dev', 'ops']);
    assert.deepEqual(through({ blacklist: ['(?i)^DEV$', 'p'], regex }), ['all']);
    assert.deepEqual(through({ whitelist: ['d.v'], regex: false }), []);
  });
});

describe('Attributes', () => {
  it('are split at semicolons, and nothing of them is trimmed', () => {
    const rules = [{ remote: [{ type: 'teams' }], local: [{ groups: '{0}', domain }] }];
    assert.deepEqual(groupNames(rules, { teams: 'a; b;;a' }), ['a', ' b', '']);
  });

  it('may be lists, whose texts are not split', () => {
    const rules = [{ remote: [{ type: 'teams' }], local: [{ groups: '{0}', domain }] }];
    assert.deepEqual(groupNames(rules, { teams: ['a;b', 'c'] }), ['a;b', 'c']);
    assert.equal(refusal(rules, { teams: [] }), 'no_rule_applies');
    assert.deepEqual(groupNames(rules, { teams: ['a', 7, null, ['b']] }), ['a']);
  });

  it('of another kind are as if they were missing', () => {
    const rules = [{ remote: [{ type: 'uid' }], local: [{ user: { name: '{0}' } }] }];
    for (const uid of [7, true, null, undefined, { a: 'b' }]) assert.equal(refusal(rules, { uid }), 'no_rule_applies');
  });

  it('with several values are written as Python writes a list, where one text is asked for', () => {
    const rules = [{ remote: [{ type: 'uid' }], local: [{ user: { name: 'x {0}' } }] }];
    const name = (uid: string): string | undefined => mapped(rules, { uid }).user.name;
    assert.equal(name('a;b'), "x ['a', 'b']");
    assert.equal(name(`o'neil;"q";'";\\;é\t\n`), `x ["o'neil", '"q"', '\\'"', '\\\\', 'é\\t\\n']`);
    assert.equal(name('\u00a0;\u200b;\u{e0001};😀;\x7f'), "x ['\\xa0', '\\u200b', '\\U000e0001', '😀', '\\x7f']");
  });
});

describe('Several rules', () => {
  it('give the first user, all groups, and the last projects', () => {
    const rules = [
      { remote: [{ type: 'uid' }], local: [{ user: {} }, { user: { name: '{0}' }, projects: [{ name: 'a', roles: [] }] }] },
      { remote: [{ type: 'none' }], local: [{ user: { name: 'nobody' }, group: { id: 'never' } }] },
      { remote: [{ type: 'mail' }], local: [{ user: { name: '{0}' }, group_ids: "['x', 'y']" }, { group: { id: 'y' } }] },
      {
        remote: [{ type: 'teams' }],
        local: [{ group: { name: 'g', domain } }, { groups: 'g', domain }, { projects: [{ name: 'b', roles: [] }] }],
      },
    ];
    assert.deepEqual(mapped(rules, ann), {
      user: { name: 'ann', type: 'ephemeral' },
      groups: [{ name: 'g', domain }],
      groupIds: ['x', 'y'],
      projects: [{ name: 'b', roles: [] }],
    });
  });
});

describe('Groups', () => {
  it('are one for each value, or one of a text', () => {
    const names = (groups: string): string[] =>
      groupNames([{ remote: [{ type: 'teams' }, { type: 'uid' }], local: [{ groups, domain }] }]);
    assert.deepEqual(names('{0}'), ['dev', 'ops', 'all']);
    assert.deepEqual(names(' {0} '), ['dev', 'ops', 'all']);
    assert.deepEqual(names('{1}'), ['ann']);
    assert.deepEqual(names('team-{1}'), ['team-ann']);
    assert.deepEqual(names('everyone'), ['everyone']);
    assert.deepEqual(names(`['everyone', "of {1}", ]`), ['everyone', 'of ann']);
    assert.deepEqual(names('[]'), []);
    for (const odd of ["['a' 'b']", "['a'", '[1, 2]', "['a',,'b']"]) assert.deepEqual(names(odd), [odd]);
  });

  it('need a domain', () => {
    const rules = [{ remote: [{ type: 'teams' }], local: [{ groups: '{0}' }] }];
    assert.equal(refusal(rules, ann), 'groups_without_domain');
  });

  it('of another Keystone bring their domain', () => {
    const rules = [{ remote: [{ type: 'g' }], local: [{ groups: '{0}' }] }];
    const g = 'JSON:{"name":"a","domain":{"name":"x"}};JSON:{"name":"b","domain":{"id":"y"}}';
    assert.deepEqual(mapped(rules, { g }).groups, [
      { name: 'a', domain: { name: 'x' } },
      { name: 'b', domain: { id: 'y' } },
    ]);
    for (const bad of [
      'JSON:',
      'JSON:{',
      'JSON:[]',
      'JSON:{"name":"a"}',
      'JSON:{"name":1,"domain":{"id":"x"}}',
      'JSON:{"name":"a","domain":{}}',
    ])
      assert.equal(refusal(rules, { g: bad }), 'invalid_group');
    assert.equal(refusal(rules, { g: `${g};plain` }), 'groups_without_domain');
  });

  it('by id may be many', () => {
    const rules = [{ remote: [{ type: 'teams' }], local: [{ group_ids: '{0}', group: { id: 'all' } }] }];
    assert.deepEqual(mapped(rules, ann).groupIds, ['all', 'dev', 'ops']);
  });
});

describe('Schema versions', () => {
  const withDomain = (local: object[], version: string) => mapped([{ remote: [{ type: 'uid' }], local }], ann, version);

  it('1.0 has the domain of an entry for its groups alone', () => {
    const { user, projects } = withDomain([{ user: { name: '{0}' }, domain, projects: [{ name: 'a', roles: [] }] }], '1.0');
    assert.deepEqual([user, projects], [{ name: 'ann', type: 'ephemeral' }, [{ name: 'a', roles: [] }]]);
  });

  it('2.0 has it for projects that name none', () => {
    const projects = [
      { name: '{0}', roles: [{ name: 'member' }] },
      { name: 'b', roles: [], domain: { id: 'own' } },
    ];
    for (const version of ['2.0', '3.0'])
      assert.deepEqual(withDomain([{ projects, domain }], version).projects, [
        { name: 'ann', roles: [{ name: 'member' }], domain },
        { name: 'b', roles: [], domain: { id: 'own' } },
      ]);
  });

  it('2.0 has the domain of the last entry for a user who names none', () => {
    const user = { name: '{0}' };
    assert.deepEqual(withDomain([{ user, domain }], '2.0').user.domain, domain);
    assert.deepEqual(
      withDomain(
        [
          { user, domain },
          { groups: 'g', domain: { id: 'b' } },
        ],
        '2.0',
      ).user.domain,
      { id: 'b' },
    );
    assert.equal(withDomain([{ user, domain }, { group: { id: 'g' } }], '2.0').user.domain, undefined);
    assert.deepEqual(withDomain([{ user: { domain: { id: 'own' } }, domain }], '2.0').user.domain, { id: 'own' });
  });

  it('3.0 reads projects that the provider asserts as JSON', () => {
    const rules = [{ remote: [{ type: 'p' }], local: [{ projects: [{ name: 'a', roles: [] }], projects_json: '{0}', domain }] }];
    const p = JSON.stringify([
      { name: 'b', roles: [{ name: 'reader' }] },
      { name: 'c{0}', roles: [], domain: { id: 'd' } },
    ]);
    assert.deepEqual(mapped(rules, { p }, '3.0').projects, [
      { name: 'a', roles: [], domain },
      { name: 'b', roles: [{ name: 'reader' }], domain },
      { name: 'c{0}', roles: [], domain: { id: 'd' } },
    ]);
    for (const bad of [
      '',
      'x',
      '{}',
      '[1]',
      '[{"name":"a"}]',
      '[{"name":"a","roles":[{}]}]',
      '[{"name":"a","roles":[],"id":"b"}]',
      '[];[]',
    ])
      assert.equal(refusal(rules, { p: bad }, '3.0'), 'invalid_projects');
  });

  it('3.0 has no asserted projects when a filter left none', () => {
    const rules = [{ remote: [{ type: 'p', whitelist: ['x'] }], local: [{ projects_json: '0' }] }];
    assert.deepEqual(mapped(rules, { p: '[{"name":"a","roles":[]}]' }, '3.0').projects, []);
  });
});

describe('What a filter left no value for', () => {
  const remote = [{ type: 'uid', whitelist: ['bob'] }];

  it('is not given: groups, projects, roles', () => {
    const local = [
      { group: { id: 'g{0}' }, groups: '{0}', group_ids: "['{0}', 'all']", domain },
      { group: { name: '{0}', domain } },
      { group: { name: 'g', domain: { id: '{0}' } } },
      { groups: 'g', domain: { name: '{0}' } },
      {
        projects: [
          { name: '{0}', roles: [] },
          { name: 'p', roles: [{ name: '{0}' }, { name: 'r' }] },
        ],
      },
    ];
    assert.deepEqual(mapped([{ remote, local }], ann), {
      user: { type: 'ephemeral' },
      groups: [],
      groupIds: ['all'],
      projects: [{ name: 'p', roles: [{ name: 'r' }] }],
    });
  });

  it('refuses the person when it is the user, or their domain', () => {
    for (const user of [{ name: '{0}' }, { id: 'x{0}' }, { name: 'x', email: '{0}' }, { name: 'x', domain: { id: '{0}' } }])
      assert.equal(refusal([{ remote, local: [{ user }] }], ann), 'no_value');
    assert.equal(refusal([{ remote, local: [{ user: { name: 'x' }, domain: { id: '{0}' } }] }], ann, '2.0'), 'no_value');
  });
});
