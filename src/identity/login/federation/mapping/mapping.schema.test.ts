import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validateMapping } from './index.ts';

const remote = [{ type: 'user' }];
const local = [{ user: { name: '{0}' } }];

const problemsOf = (rules: unknown, version?: string): string[] =>
  (validateMapping(rules, version).problems ?? []).map(({ place, why }) => `${place}: ${why}`);
const ofRemote = (requirement: unknown): string[] => problemsOf([{ local: [], remote: [requirement] }]);
const ofLocal = (entry: unknown, version?: string): string[] => problemsOf([{ local: [entry], remote }], version);

describe('A mapping that is validated', () => {
  it('is ready to be applied when nothing is wrong with it', () => {
    for (const version of ['1.0', '2.0', '3.0']) {
      const { mapping, problems } = validateMapping([{ local, remote }], version);
      assert.equal(problems, undefined);
      assert.equal(mapping?.version, version);
    }
    assert.equal(validateMapping([{ local, remote }]).mapping?.version, '1.0');
  });

  it('has a version that there is', () => {
    for (const version of ['', '1', '4.0', null, 1])
      assert.deepEqual(validateMapping([{ local, remote }], version).problems, [
        { place: 'schema_version', why: 'it must be one of 1.0, 2.0, 3.0' },
      ]);
  });

  it('has at least one rule, and each has both sides', () => {
    assert.deepEqual(problemsOf([]), ['rules: it needs at least one rule']);
    for (const rules of [undefined, null, {}, 'rules', 7]) assert.deepEqual(problemsOf(rules), ['rules: must be a list']);
    assert.deepEqual(problemsOf([{}]), ['rules.0.local: it is a required property', 'rules.0.remote: it is a required property']);
    assert.deepEqual(problemsOf([{ local, remote: [] }]), ['rules.0.remote: it needs at least one requirement']);
    assert.deepEqual(problemsOf([{ local, remote, more: 1 }]), ['rules.0.more: it is not a property of this object']);
    assert.deepEqual(problemsOf([{ local: [], remote }]), []);
    assert.deepEqual(problemsOf([{ local, remote }, 'x']), ['rules.1: must be an object']);
  });

  it('names every place that is wrong, up to twenty', () => {
    const rules = [
      { local: [{ user: { name: 7, age: 8 } }], remote: [{ type: 'a', any_one_of: 'b' }] },
      { local: [{ group: { name: 'g' } }], remote: [{ type: 'a', whitelist: ['x', 5] }] },
    ];
    assert.deepEqual(problemsOf(rules), [
      'rules.0.remote.0.any_one_of: must be a list',
      'rules.0.local.0.user.age: it is not a property of this object',
      'rules.0.local.0.user.name: must be a string',
      'rules.1.remote.0.whitelist.1: must be a string',
      'rules.1.local.0.group.domain: it is a required property',
    ]);
    assert.equal(problemsOf(Array.from({ length: 50 }, () => ({}))).length, 20);
  });
});

describe('A requirement', () => {
  it('names an attribute', () => {
    assert.deepEqual(ofRemote({}), ['rules.0.remote.0.type: it is a required property']);
    assert.deepEqual(ofRemote({ type: 1 }), ['rules.0.remote.0.type: must be a string']);
    assert.deepEqual(ofRemote(null), ['rules.0.remote.0: must be an object']);
  });

  it('has one condition at most', () => {
    assert.deepEqual(ofRemote({ type: 'a', blacklist: [], whitelist: [] }), [
      'rules.0.remote.0: it has blacklist and whitelist, but only one condition is allowed',
    ]);
    assert.deepEqual(ofRemote({ type: 'a', only: [] }), ['rules.0.remote.0.only: it is not a property of this object']);
  });

  it('has regex only with a condition', () => {
    assert.deepEqual(ofRemote({ type: 'a', regex: true }), [
      'rules.0.remote.0.regex: it needs a condition: any_one_of, not_any_of, blacklist or whitelist',
    ]);
    for (const regex of [null, 'true', 1])
      assert.deepEqual(ofRemote({ type: 'a', whitelist: [], regex }), ['rules.0.remote.0.regex: must be true or false']);
  });

  it('has regular expressions that can be read, or the place is named where they cannot', () => {
    assert.deepEqual(ofRemote({ type: 'a', any_one_of: ['^a', '(b'], regex: true }), [
      'rules.0.remote.0.any_one_of.1: the regular expression cannot be used: a parenthesis is not closed (at character 2)',
    ]);
    assert.deepEqual(ofRemote({ type: 'a', any_one_of: ['(b'] }), []);
  });
});

describe('What a rule makes of a person', () => {
  it('has no parts but those of its version', () => {
    assert.deepEqual(ofLocal({ roles: [] }), ['rules.0.local.0.roles: it is not a property of this object']);
    for (const version of ['1.0', '2.0'])
      assert.deepEqual(ofLocal({ projects_json: '{0}' }, version), [
        'rules.0.local.0.projects_json: it is not a property of this object',
      ]);
    assert.deepEqual(ofLocal({ projects_json: '{0}' }, '3.0'), []);
    const projects = [{ name: 'a', roles: [], domain: { id: 'd' } }];
    assert.deepEqual(ofLocal({ projects }, '1.0'), ['rules.0.local.0.projects.0.domain: it is not a property of this object']);
    assert.deepEqual([ofLocal({ projects }, '2.0'), ofLocal({ projects }, '3.0')], [[], []]);
  });

  it('has users that are ephemeral or local', () => {
    assert.deepEqual(ofLocal({ user: { type: '{0}' } }), ['rules.0.local.0.user.type: it must be one of ephemeral, local']);
    assert.deepEqual(ofLocal({ user: { type: 'local', id: 'a', name: 'b', email: 'c', domain: { id: 'd', name: 'e' } } }), []);
  });

  it('has groups by id, or by name and domain', () => {
    assert.deepEqual(ofLocal({ group: {} }), [
      'rules.0.local.0.group.name: it is a required property',
      'rules.0.local.0.group.domain: it is a required property',
    ]);
    assert.deepEqual(ofLocal({ group: { id: 'a', domain: { id: 'b' } } }), [
      'rules.0.local.0.group.domain: it is not a property of this object',
    ]);
    assert.deepEqual(ofLocal({ group: [] }), ['rules.0.local.0.group: must be an object']);
    assert.deepEqual(ofLocal({ groups: ['a'] }), ['rules.0.local.0.groups: must be a string']);
  });

  it('has projects with a name and roles', () => {
    assert.deepEqual(ofLocal({ projects: [{ name: 'a' }, { roles: [{ name: 'b', id: 'c' }] }] }), [
      'rules.0.local.0.projects.0.roles: it is a required property',
      'rules.0.local.0.projects.1.name: it is a required property',
    ]);
    assert.deepEqual(ofLocal({ projects: [{ name: 'a', roles: [{ name: 'b', id: 'c' }, {}] }] }), [
      'rules.0.local.0.projects.0.roles.0.id: it is not a property of this object',
      'rules.0.local.0.projects.0.roles.1.name: it is a required property',
    ]);
  });

  it('has domains that are named', () => {
    for (const entry of [{ domain: {} }, { user: { domain: {} } }, { group: { name: 'g', domain: {} } }])
      assert.match(ofLocal(entry).join(), /domain: it needs an id or a name$/);
  });

  it('asks for values that the rule has', () => {
    const rules = [
      { local: [{ user: { name: '{0}', email: '{1}' } }], remote: [{ type: 'a', any_one_of: ['b'] }, { type: 'c' }] },
    ];
    assert.deepEqual(problemsOf(rules), [
      'rules.0.local.0.user.email: there is no {1}: the rule has 1 of them, from {0} (any_one_of and not_any_of give no value)',
    ]);
  });

  it('has braces that hold a number, or none', () => {
    const why = (name: string): string => ofLocal({ user: { name } }).join().replace('rules.0.local.0.user.name: ', '');
    assert.equal(why('{user}'), 'braces may contain only a number');
    assert.equal(why('{ 0}'), 'braces may contain only a number');
    assert.equal(why('{'), 'a literal { must be written as {{');
    assert.equal(why('0}'), 'a literal } must be written as }}');
    assert.equal(why('{0}}'), 'a literal } must be written as }}');
    assert.equal(why('{}{0}'), '{} and {0} cannot be mixed');
    assert.equal(why('{{}} {{0}}'), '');
    assert.match(ofLocal({ projects_json: 'all' }, '3.0').join(), /must be one placeholder/);
  });
});
