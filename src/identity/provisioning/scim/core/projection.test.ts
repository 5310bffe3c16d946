import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ResourceType } from './attribute.ts';
import { groupType, userType } from './definitions.ts';
import { project, readProjection } from './projection.ts';

const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const always = { schemas: [core, enterprise], id: '2819c223' };
const user = {
  ...always,
  externalId: 'bjensen',
  userName: 'bjensen@example.com',
  password: 'never',
  name: { givenName: 'Barbara', familyName: 'Jensen' },
  emails: [{ value: 'bjensen@example.com', type: 'work', primary: true }, { type: 'home' }],
  [enterprise]: { department: 'Tours', manager: { value: '26118915', displayName: 'John' } },
  meta: { resourceType: 'User', version: 'W/"1"' },
};

const only = (attributes: string) => project(userType, user, readProjection(userType, { attributes }));
const without = (excludedAttributes: string) => project(userType, user, readProjection(userType, { excludedAttributes }));
const { password: _, ...shown } = user;

describe('an answer', () => {
  it('has what is returned by default, and never a password', () => {
    assert.deepEqual(project(userType, user, readProjection(userType, {})), shown);
    assert.deepEqual(only(' '), shown);
  });

  it('has only the attributes asked for, and what is always returned (RFC 7644, 3.9)', () => {
    assert.deepEqual(only('userName'), { ...always, userName: user.userName });
    assert.deepEqual(only('USERNAME, externalid'), { ...always, userName: user.userName, externalId: user.externalId });
  });

  it('has parts of attributes, and leaves out what has none of them', () => {
    assert.deepEqual(only('name.givenName'), { ...always, name: { givenName: 'Barbara' } });
    assert.deepEqual(only('emails.value'), { ...always, emails: [{ value: 'bjensen@example.com' }] });
    assert.deepEqual(only('name.middleName'), always);
    assert.deepEqual(only('name,name.givenName'), { ...always, name: user.name });
    assert.deepEqual(only('meta.version'), { ...always, meta: { version: 'W/"1"' } });
  });

  it('has attributes by URN, and whole extensions', () => {
    assert.deepEqual(only(`${core}:name.familyName`), { ...always, name: { familyName: 'Jensen' } });
    assert.deepEqual(only(`${enterprise}:department`), { ...always, [enterprise]: { department: 'Tours' } });
    assert.deepEqual(only(`${enterprise}:manager.value`), { ...always, [enterprise]: { manager: { value: '26118915' } } });
    assert.deepEqual(only(enterprise.toUpperCase()), { ...always, [enterprise]: user[enterprise] });
  });

  it('lacks what is excluded, but not what is always returned', () => {
    const { emails, ...rest } = shown;
    assert.deepEqual(without('emails,id,schemas'), rest);
    assert.deepEqual(without('name.familyName'), { ...shown, name: { givenName: 'Barbara' } });
    assert.deepEqual(without(`${enterprise}:manager`), { ...shown, [enterprise]: { department: 'Tours' } });
    assert.equal(enterprise in without(enterprise), false);
    assert.equal('name' in without('name.familyName,name.givenName'), false);
  });

  it('goes by attributes when both are given', () => {
    const projection = readProjection(userType, { attributes: 'userName', excludedAttributes: 'userName' });
    assert.deepEqual(project(userType, user, projection), { ...always, userName: user.userName });
  });

  it('has no password, even when asked', () => assert.deepEqual(only('password'), always));

  it('ignores names it does not know, hostile ones too', () => {
    assert.deepEqual(only('nothing,__proto__,constructor.prototype,toString'), always);
    assert.deepEqual(without(`nothing,__proto__,${'x'.repeat(100_000)}`), shown);
    assert.deepEqual(only('['.repeat(50_000)), always);
    assert.deepEqual(only(`[${'"['.repeat(50_000)}`), always);
  });

  it("takes a filter for the attribute it stands after (Microsoft's collection)", () => {
    assert.deepEqual(only('emails[type eq "work"]'), { ...always, emails: user.emails });
    assert.deepEqual(only('userName,emails[type eq "a],b"].value'), {
      ...always,
      userName: user.userName,
      emails: [{ value: 'bjensen@example.com' }],
    });
  });

  it('names its schemas, if the resource did not', () => {
    const projection = readProjection(userType, {});
    assert.deepEqual(project(userType, { id: '1' }, projection), { schemas: [core], id: '1' });
    assert.deepEqual(project(userType, { [enterprise]: { division: 'x' } }, projection).schemas, [core, enterprise]);
  });

  it('has what is returned on request, only then', () => {
    const onRequest: ResourceType = {
      ...groupType,
      core: { ...groupType.core, attributes: groupType.core.attributes.map((a) => ({ ...a, returned: 'request' })) },
    };
    const group = { schemas: [], id: '1', displayName: 'x' };
    assert.equal('displayName' in project(onRequest, group, readProjection(onRequest, {})), false);
    assert.equal(project(onRequest, group, readProjection(onRequest, { attributes: 'displayName' })).displayName, 'x');
  });
});

describe('a projection', () => {
  it('tells what need not be read', () => {
    assert.equal(readProjection(groupType, {}).wants('members'), true);
    assert.equal(readProjection(groupType, { excludedAttributes: 'MEMBERS' }).wants('members'), false);
    assert.equal(readProjection(groupType, { attributes: 'displayName' }).wants('members'), false);
    assert.equal(readProjection(groupType, { attributes: 'members.value' }).wants('members'), true);
    assert.equal(readProjection(userType, { attributes: enterprise }).wants(enterprise), true);
    assert.equal(readProjection(userType, { attributes: 'userName' }).wants('id'), true);
    assert.equal(readProjection(userType, {}).wants('password'), false);
    assert.equal(readProjection(userType, {}).wants('__proto__'), false);
  });
});
