// The mapping of a provider as the console's form has it, and as the service reads it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pairsOf, pairText } from '../console/identity/providers/lines.ts';
import { readUsual, SCHEMA_VERSION, type UsualMapping, writeUsual } from '../console/identity/providers/usual-mapping.ts';
import { applyMapping, validateMapping } from '../src/identity/login/federation/mapping/index.ts';

const WHO: UsualMapping = {
  name: 'preferred_username',
  email: 'email',
  onlyClaim: '',
  onlyValues: [],
  groupsClaim: '',
  groups: [],
  rolesClaim: '',
  rolesValues: [],
  roles: [],
};
const ALL: UsualMapping = {
  ...WHO,
  onlyClaim: 'hd',
  onlyValues: ['example.org', 'example.com'],
  groupsClaim: 'groups',
  groups: pairsOf('pilots\n4f1c = masters'),
  rolesClaim: 'department',
  rolesValues: ['harbour'],
  roles: pairsOf('berths = member\nberths = reader\nquay = member'),
};

describe('The form of a mapping', () => {
  it('reads what it wrote', () => {
    for (const usual of [
      WHO,
      { ...WHO, email: '' },
      { ...WHO, name: 'email' },
      { ...WHO, onlyClaim: 'hd', onlyValues: ['example.org'] },
      { ...WHO, groupsClaim: 'groups', groups: pairsOf('pilots') },
      { ...WHO, groupsClaim: 'groups', groups: pairsOf('a = b') },
      { ...WHO, roles: pairsOf('berths = member') },
      ALL,
    ])
      assert.deepEqual(readUsual(JSON.parse(JSON.stringify(writeUsual(usual, 'default'))), 'default'), usual);
    assert.equal(pairText(ALL.groups), 'pilots\n4f1c = masters');
  });

  it('does not show what it cannot say', () => {
    const [who] = writeUsual(WHO, 'default');
    const others: unknown[][] = [
      [],
      [{}],
      ['no rule'],
      [{ ...who, local: [{ user: { name: '{0} {1}' } }] }],
      [{ ...who, remote: [{ type: 'email', any_one_of: ['a.*'], regex: true }] }],
      [who, who],
      [who, { local: [{ group: { id: 'x' } }], remote: [{ type: 'groups', not_any_of: ['a'] }] }],
      [...writeUsual(ALL, 'default'), who],
    ];
    for (const rules of others) assert.equal(readUsual(rules, 'default'), undefined, JSON.stringify(rules));
    assert.equal(readUsual(writeUsual(ALL, 'default'), 'another domain'), undefined);
  });

  it('means to the service what it says', () => {
    const { mapping } = validateMapping(JSON.parse(JSON.stringify(writeUsual(ALL, 'default'))), SCHEMA_VERSION);
    const claims = {
      preferred_username: ['ada'],
      email: ['ada@example.org'],
      groups: ['pilots', '4f1c', 'admins'],
      department: ['harbour'],
    };
    assert.deepEqual(applyMapping(mapping!, { ...claims, hd: ['example.org'] }), {
      user: { name: 'ada', email: 'ada@example.org', type: 'ephemeral' },
      groups: ['pilots', 'masters'].map((name) => ({ name, domain: { id: 'default' } })),
      groupIds: [],
      projects: [
        { name: 'berths', roles: [{ name: 'member' }, { name: 'reader' }] },
        { name: 'quay', roles: [{ name: 'member' }] },
      ],
    });
    // Also who is known already: no rule may apply to them.
    const { refusal } = applyMapping(mapping!, { ...claims, hd: ['evil.example'] });
    assert.equal(refusal?.code, 'no_rule_applies');
  });
});
