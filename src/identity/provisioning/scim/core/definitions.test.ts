import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Attribute, ScimSchema } from './attribute.ts';
import { commonAttributes, groupType, organizationType, resourceTypeResource, schemaResource, userType } from './definitions.ts';

const location = 'https://id.example/scim/v2/Schemas/x';
const enterprise = userType.extensions[0]!;

const names = (attributes: readonly Attribute[] | undefined): string[] => (attributes ?? []).map(({ name }) => name);

function attributeOf(schema: ScimSchema, name: string): Attribute {
  return schema.attributes.find((attribute) => attribute.name === name) ?? assert.fail(`no ${name}`);
}

describe('the schemas', () => {
  it('have every attribute of a user (RFC 7643, 8.7.1)', () => {
    assert.deepEqual(names(userType.core.attributes), [
      'userName',
      'name',
      'displayName',
      'nickName',
      'profileUrl',
      'title',
      'userType',
      'preferredLanguage',
      'locale',
      'timezone',
      'active',
      'password',
      'emails',
      'phoneNumbers',
      'ims',
      'photos',
      'addresses',
      'groups',
      'entitlements',
      'roles',
      'x509Certificates',
    ]);
    assert.deepEqual(names(attributeOf(userType.core, 'emails').subAttributes), ['value', 'display', 'type', 'primary']);
    assert.deepEqual(names(attributeOf(userType.core, 'groups').subAttributes), ['value', '$ref', 'display', 'type']);
  });

  it('have every attribute of the enterprise extension', () => {
    const expected = ['employeeNumber', 'costCenter', 'organization', 'division', 'department', 'manager'];
    assert.deepEqual(names(enterprise.attributes), expected);
    assert.deepEqual(names(attributeOf(enterprise, 'manager').subAttributes), ['value', '$ref', 'displayName']);
  });

  it('let nobody read a password', () => {
    const { mutability, returned, caseExact } = attributeOf(userType.core, 'password');
    assert.deepEqual({ mutability, returned, caseExact }, { mutability: 'writeOnly', returned: 'never', caseExact: true });
  });

  it('require the names, once each', () => {
    const required = [userType, groupType, organizationType].map(({ core }) => names(core.attributes.filter((a) => a.required)));
    assert.deepEqual(required, [['userName'], ['displayName'], ['name']]);
    assert.equal(attributeOf(userType.core, 'userName').uniqueness, 'server');
    assert.equal(attributeOf(organizationType.core, 'name').uniqueness, 'server');
  });

  it('do not list what every resource has', () => {
    const common = new Set(names(commonAttributes));
    assert.deepEqual(common, new Set(['schemas', 'id', 'externalId', 'meta']));
    for (const { core } of [userType, groupType, organizationType]) {
      assert.deepEqual(
        names(core.attributes).filter((name) => common.has(name)),
        [],
      );
    }
  });

  it('are shown with all characteristics', () => {
    const shown = schemaResource(userType.core, location);
    assert.deepEqual(shown.schemas, ['urn:ietf:params:scim:schemas:core:2.0:Schema']);
    assert.equal(shown.id, 'urn:ietf:params:scim:schemas:core:2.0:User');
    assert.deepEqual(shown.meta, { resourceType: 'Schema', location });
    const [userName] = JSON.parse(JSON.stringify(shown.attributes));
    assert.deepEqual(userName, {
      name: 'userName',
      type: 'string',
      description: 'The name the User signs in with, unique within the service.',
      multiValued: false,
      required: true,
      caseExact: false,
      mutability: 'readWrite',
      returned: 'default',
      uniqueness: 'server',
    });
  });

  it('say "User Account", which Microsoft looks for', () => {
    assert.match(String(schemaResource(userType.core, location).description), /User Account/);
  });
});

describe('a resource type', () => {
  it('is shown as RFC 7643, 8.6 does', () => {
    assert.deepEqual(resourceTypeResource(userType, location), {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
      id: 'User',
      name: 'User',
      endpoint: '/Users',
      description: 'User Account',
      schema: 'urn:ietf:params:scim:schemas:core:2.0:User',
      schemaExtensions: [{ schema: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User', required: false }],
      meta: { resourceType: 'ResourceType', location },
    });
  });
});
