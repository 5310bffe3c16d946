// The supported schemas (RFC 7643, sections 3.1, 4, 8.7.1; Organization is our own), and their form in /Schemas and /ResourceTypes.
import type { Attribute, Resource, ResourceType, ScimSchema } from './attribute.ts';

type Characteristics = Partial<Omit<Attribute, 'name' | 'description'>>;

const schemaUrn = 'urn:ietf:params:scim:schemas:core:2.0:Schema';
const resourceTypeUrn = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType';

/**
 * References and binaries are case exact by RFC 7643, 2.3.6 and 2.3.7; the examples of section 8.7.1 differ. The identifiers of
 * groups and members are too, because `id` is.
 */
const exactTypes = new Set(['reference', 'binary']);

function attribute(name: string, description: string, characteristics: Characteristics = {}): Attribute {
  const type = characteristics.type ?? 'string';
  return {
    name,
    type,
    description,
    multiValued: false,
    required: false,
    caseExact: exactTypes.has(type),
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...characteristics,
  };
}

function complex(
  name: string,
  description: string,
  subAttributes: readonly Attribute[],
  characteristics: Characteristics = {},
): Attribute {
  return attribute(name, description, { type: 'complex', ...characteristics, subAttributes });
}

function reference(
  name: string,
  description: string,
  referenceTypes: readonly string[],
  characteristics: Characteristics = {},
): Attribute {
  return attribute(name, description, { type: 'reference', ...characteristics, referenceTypes });
}

/** A multi-valued attribute with the sub-attributes of RFC 7643, 2.4. */
function multiValued(name: string, description: string, value: Attribute, types: readonly string[] = []): Attribute {
  const subAttributes = [
    value,
    attribute('display', 'A human-readable name, primarily used for display purposes.'),
    typeAttribute(types),
    primary,
  ];
  return complex(name, description, subAttributes, { multiValued: true });
}

function typeAttribute(canonicalValues: readonly string[]): Attribute {
  const characteristics: Characteristics = canonicalValues.length > 0 ? { canonicalValues } : {};
  return attribute('type', "A label indicating the attribute's function.", characteristics);
}

const primary = attribute('primary', 'Whether this is the preferred value. At most one value may be primary.', {
  type: 'boolean',
});

const readOnly: Characteristics = { mutability: 'readOnly' };
const immutable: Characteristics = { mutability: 'immutable' };

/** Attributes of every resource; schemas do not list them (RFC 7643, 3.1). */
export const commonAttributes: readonly Attribute[] = [
  // Derived from the content of the resource, so the two never disagree.
  reference('schemas', 'The schemas of the resource.', ['uri'], {
    ...readOnly,
    multiValued: true,
    required: true,
    returned: 'always',
  }),
  attribute('id', 'The identifier of the resource, chosen by the service.', {
    ...readOnly,
    caseExact: true,
    returned: 'always',
    uniqueness: 'server',
  }),
  attribute('externalId', 'The identifier of the resource, chosen by the client.', { caseExact: true }),
  complex(
    'meta',
    'Metadata of the resource.',
    [
      attribute('resourceType', 'The type of the resource.', { ...readOnly, caseExact: true }),
      attribute('created', 'When the resource was added.', { ...readOnly, type: 'dateTime' }),
      attribute('lastModified', 'When the resource was last changed.', { ...readOnly, type: 'dateTime' }),
      reference('location', 'The URI of the resource.', ['uri'], readOnly),
      attribute('version', 'The version of the resource.', { ...readOnly, caseExact: true }),
    ],
    readOnly,
  ),
];

const nameParts = [
  attribute('formatted', 'The full name, including all middle names, titles, and suffixes, formatted for display.'),
  attribute('familyName', 'The family name of the User, or last name in most Western languages.'),
  attribute('givenName', 'The given name of the User, or first name in most Western languages.'),
  attribute('middleName', 'The middle name(s) of the User.'),
  attribute('honorificPrefix', 'The honorific prefix(es) of the User, or title in most Western languages.'),
  attribute('honorificSuffix', 'The honorific suffix(es) of the User, or suffix in most Western languages.'),
];

const addressParts = [
  attribute('formatted', 'The full mailing address, formatted for display or use with a mailing label.'),
  attribute('streetAddress', 'The full street address, which may include house number, street name and P.O. box.'),
  attribute('locality', 'The city or locality.'),
  attribute('region', 'The state or region.'),
  attribute('postalCode', 'The zip code or postal code.'),
  attribute('country', 'The country name, as an ISO 3166-1 "alpha-2" code.'),
  typeAttribute(['work', 'home', 'other']),
  primary,
];

const groupParts = [
  attribute('value', "The identifier of the User's group.", { ...readOnly, caseExact: true }),
  reference('$ref', 'The URI of the group.', ['User', 'Group'], readOnly),
  attribute('display', 'The name of the group.', readOnly),
  attribute('type', 'How the User came to be a member.', { ...readOnly, canonicalValues: ['direct', 'indirect'] }),
];

const imServices = ['aim', 'gtalk', 'icq', 'xmpp', 'msn', 'skype', 'qq', 'yahoo'];
const phoneKinds = ['work', 'home', 'mobile', 'fax', 'pager', 'other'];

/** Its values are checked. */
export const emailAddress = attribute('value', 'An email address.');

const userSchema: ScimSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  // Microsoft's validator expects this text.
  description: 'User Account',
  attributes: [
    attribute('userName', 'The name the User signs in with, unique within the service.', {
      required: true,
      uniqueness: 'server',
    }),
    complex('name', "The components of the User's name.", nameParts),
    attribute('displayName', 'The name of the User, suitable for display to end-users.'),
    attribute('nickName', 'The casual way to address the User in real life.'),
    reference('profileUrl', "The URI of the User's online profile.", ['external']),
    attribute('title', 'The User\'s title, such as "Vice President".'),
    attribute('userType', 'The relationship between the organization and the User, such as "Contractor" or "Employee".'),
    attribute('preferredLanguage', 'The User\'s preferred written or spoken language, such as "en-US".'),
    attribute('locale', "The User's default location, for currency, date and number formats."),
    attribute('timezone', 'The User\'s time zone, by its IANA name, such as "America/Los_Angeles".'),
    attribute('active', "The User's administrative status.", { type: 'boolean' }),
    attribute('password', "The User's clear text password, to set or change it.", {
      caseExact: true,
      mutability: 'writeOnly',
      returned: 'never',
    }),
    multiValued('emails', 'Email addresses of the User.', emailAddress, ['work', 'home', 'other']),
    multiValued('phoneNumbers', 'Phone numbers of the User.', attribute('value', 'A phone number.'), phoneKinds),
    multiValued('ims', 'Instant messaging addresses of the User.', attribute('value', 'An address.'), imServices),
    multiValued('photos', 'URIs of photos of the User.', reference('value', 'The URI of a photo.', ['external']), [
      'photo',
      'thumbnail',
    ]),
    complex('addresses', 'Physical mailing addresses of the User.', addressParts, { multiValued: true }),
    complex('groups', 'Groups to which the User belongs.', groupParts, { ...readOnly, multiValued: true }),
    multiValued('entitlements', 'Things the User has, as entitlements.', attribute('value', 'An entitlement.')),
    multiValued('roles', 'Roles of the User that collectively represent who the User is.', attribute('value', 'A role.')),
    multiValued(
      'x509Certificates',
      'Certificates issued to the User.',
      attribute('value', 'An X.509 certificate, DER in base64.', { type: 'binary' }),
    ),
  ],
};

const enterpriseSchema: ScimSchema = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'Enterprise User',
  attributes: [
    attribute('employeeNumber', 'Numeric or alphanumeric identifier assigned to a person by the organization.'),
    attribute('costCenter', 'The name of a cost center.'),
    attribute('organization', 'The name of an organization.'),
    attribute('division', 'The name of a division.'),
    attribute('department', 'The name of a department.'),
    complex('manager', "The User's manager.", [
      attribute('value', "The identifier of the User's manager."),
      reference('$ref', "The URI of the User's manager.", ['User']),
      attribute('displayName', "The name of the User's manager.", readOnly),
    ]),
  ],
};

const groupSchema: ScimSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'Group',
  attributes: [
    attribute('displayName', 'The name of the Group.', { required: true }),
    complex(
      'members',
      'The members of the Group.',
      [
        attribute('value', 'The identifier of the member.', { ...immutable, caseExact: true }),
        reference('$ref', 'The URI of the member.', ['User'], immutable),
        attribute('type', 'The type of the member.', { ...immutable, canonicalValues: ['User'] }),
        attribute('display', 'The name of the member.'),
      ],
      { multiValued: true },
    ),
  ],
};

const organizationSchema: ScimSchema = {
  id: 'urn:gatehouse:params:scim:schemas:2.0:Organization',
  name: 'Organization',
  description: 'Organization',
  attributes: [
    attribute('name', 'The name of the Organization, unique within the service.', {
      required: true,
      caseExact: true,
      uniqueness: 'server',
    }),
    attribute('description', 'What the Organization is.'),
    attribute('active', 'Whether the Organization can be used.', { type: 'boolean' }),
    attribute('isDefault', 'Whether Users belong to this Organization unless another is named.', { type: 'boolean' }),
  ],
};

/** Okta's schema for roles that its governance assigns. Here: roles of applications in the organizations of the domain. */
const roleSchema: ScimSchema = {
  id: 'urn:okta:scim:schemas:core:1.0:Role',
  name: 'Role',
  description: 'Role of an application',
  attributes: [
    attribute('displayName', 'The name of the Role, and of its application.', readOnly),
    attribute('type', 'The type of the entry: Role.', readOnly),
    attribute('description', 'The organization the Role applies in.', readOnly),
  ],
};

export const roleType: ResourceType = {
  name: 'Role',
  description: 'Role of an application',
  endpoint: '/Roles',
  core: roleSchema,
  extensions: [],
};

const entitlementSchema: ScimSchema = {
  id: 'urn:okta:scim:schemas:core:1.0:Entitlement',
  name: 'Entitlement',
  description: 'Membership of an organization',
  attributes: [
    attribute('displayName', 'The name of the organization.', readOnly),
    attribute('type', 'The type of the entry: organization.', readOnly),
    attribute('description', 'What the Entitlement is.', readOnly),
  ],
};

export const entitlementType: ResourceType = {
  name: 'Entitlement',
  description: 'Membership of an organization',
  endpoint: '/Entitlements',
  core: entitlementSchema,
  extensions: [],
};

export const userType: ResourceType = {
  name: 'User',
  description: 'User Account',
  endpoint: '/Users',
  core: userSchema,
  extensions: [enterpriseSchema],
};

export const groupType: ResourceType = {
  name: 'Group',
  description: 'Group',
  endpoint: '/Groups',
  core: groupSchema,
  extensions: [],
};

export const organizationType: ResourceType = {
  name: 'Organization',
  description: 'Organization',
  endpoint: '/Organizations',
  core: organizationSchema,
  extensions: [],
};

/** A schema in the form of /Schemas/{id}. */
export function schemaResource(schema: ScimSchema, location: string): Resource {
  const { id, name, description, attributes } = schema;
  return { schemas: [schemaUrn], id, name, description, attributes, meta: { resourceType: 'Schema', location } };
}

/** A resource type in the form of /ResourceTypes/{name}. */
export function resourceTypeResource(type: ResourceType, location: string): Resource {
  return {
    schemas: [resourceTypeUrn],
    id: type.name,
    name: type.name,
    endpoint: type.endpoint,
    description: type.description,
    schema: type.core.id,
    schemaExtensions: type.extensions.map(({ id }) => ({ schema: id, required: false })),
    meta: { resourceType: 'ResourceType', location },
  };
}
