// Types of credentials on the wire.
import { t } from '../../../platform/http/index.ts';
import { ISSUED_FORMAT_NAMES } from '../../../verifiable/issuing/index.ts';
import { Links, ListLinks } from '../../ground/resource/index.ts';
import { MAX_VALIDITY_SECONDS } from '../issuer/index.ts';
import { type CredentialType, DATA_MODELS, doctypeOf, PROFILE_CLAIMS, SUBJECTS, vctOf } from './credential-type.ts';

const ID = '^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$';
const TYPE = '^[A-Z][A-Za-z0-9]{0,63}$';
const ids = (description: string) =>
  t.nullable(t.array(t.string({ minLength: 1, maxLength: 64 }), { maxItems: 100, uniqueItems: true, description }));

const fields = {
  targets: t.array(t.string({ minLength: 1, maxLength: 64 }), {
    maxItems: 20,
    uniqueItems: true,
    description: 'Further applications whose roles are in it. The caller has to manage them, too.',
  }),
  type: t.string({ pattern: TYPE, description: 'Its type in W3C formats. By default made from the id.' }),
  name: t.string({ minLength: 1, maxLength: 255, pattern: '\\S', description: 'For people, in their wallets.' }),
  description: t.string({ maxLength: 1000 }),
  formats: t.array(t.oneOf(...ISSUED_FORMAT_NAMES), { minItems: 1, maxItems: ISSUED_FORMAT_NAMES.length, uniqueItems: true }),
  data_model: t.oneOf(...DATA_MODELS),
  validity_seconds: t.integer({ minimum: 60, maximum: MAX_VALIDITY_SECONDS }),
  roles: ids('Ids of the roles that may be in it. Null: all roles of these applications. Internal roles never are.'),
  organizations: ids('Ids of organizations: only roles in these are in it. Null: in all.'),
  only_default_organization: t.boolean({
    description: 'Only roles in the default organization of the holder. `organizations` is null then.',
  }),
  claims: t.array(t.oneOf(...PROFILE_CLAIMS), {
    maxItems: PROFILE_CLAIMS.length,
    uniqueItems: true,
    description: 'What it says of its holder, who decides each time whom to show it.',
  }),
  subject: {
    ...t.oneOf(...SUBJECTS),
    description:
      'What it calls its holder. `none`: nothing, so that nobody can tell by it that two copies are of one person. `user`: the id of the user.',
  },
  enabled: t.boolean({ description: 'False: none is issued, and those that were issued are revoked.' }),
};

const Id = t.string({ pattern: ID, description: 'Part of the address of the type. It cannot be changed.' });
const example = {
  id: 'city-worker',
  application_id: 'a0c5',
  name: 'City worker',
  formats: ISSUED_FORMAT_NAMES.slice(0, 1),
  validity_seconds: 2_592_000,
  claims: ['name'],
};
const NewCredentialType = t.object({ id: Id, application_id: t.string({ minLength: 1 }), name: fields.name }, fields, {
  examples: [example],
});
export const CreateCredentialType = t.envelope('credential_type', NewCredentialType);
const CredentialTypeChanges = t.changes(t.object({}, fields, { examples: [{ enabled: false }] }));
export const UpdateCredentialType = t.envelope('credential_type', CredentialTypeChanges);

const Shown = t.object({
  id: t.string(),
  application_id: t.string(),
  targets: t.array(t.string()),
  type: t.string(),
  vct: t.string({ description: 'Its type in SD-JWT VCs, and where everybody can read what it is.' }),
  doctype: t.string({ description: 'Its type in mobile documents, and the namespace of what they say.' }),
  name: t.string(),
  description: t.string(),
  formats: t.array(t.string()),
  data_model: t.string(),
  validity_seconds: t.integer(),
  roles: t.nullable(t.array(t.string())),
  organizations: t.nullable(t.array(t.string())),
  only_default_organization: t.boolean(),
  claims: t.array(t.string()),
  subject: t.string(),
  enabled: t.boolean(),
  links: Links,
});
export const CredentialTypeEnvelope = t.envelope('credential_type', Shown);
export const CredentialTypeList = t.object({ links: ListLinks, credential_types: t.array(Shown) });

const NewTarget = t.object(
  { did: t.string({ minLength: 1, maxLength: 255, description: 'The DID of the application.' }) },
  {},
  { examples: [{ did: 'did:web:reports.example.org' }] },
);
export const PutTarget = t.envelope('target', NewTarget);
export const TargetEnvelope = t.envelope('target', t.object({ application_id: t.string(), did: t.string(), links: Links }));

/** SD-JWT VC type metadata. */
export const TypeMetadata = t.open({ vct: t.string() });
export const TrustedIssuer = t.object({
  did: t.string(),
  attributes: t.array(
    t.object({
      hash: t.string({ description: 'SHA-256 of the content, in hexadecimal.' }),
      body: t.string({ description: 'The content in base64: JSON with `credentialsType` and `claims`.' }),
      issuerType: t.string(),
      tao: t.string(),
      rootTao: t.string(),
    }),
  ),
});

export const renderCredentialType = (base: string, issuer: string, type: CredentialType) => ({
  id: type.id,
  application_id: type.applicationId,
  targets: [...type.targets],
  type: type.typeName,
  vct: vctOf(issuer, type),
  doctype: doctypeOf(issuer, type),
  name: type.name,
  description: type.description,
  formats: [...type.formats],
  data_model: type.dataModel,
  validity_seconds: type.validitySeconds,
  roles: type.roles === 'all' ? null : [...type.roles],
  organizations: typeof type.organizations === 'string' ? null : [...type.organizations],
  only_default_organization: type.organizations === 'default',
  claims: [...type.claims],
  subject: type.subject,
  enabled: type.enabled,
  links: { self: `${base}/v3/OS-ROLE-CREDENTIALS/types/${type.id}` },
});

t.name({
  NewCredentialType,
  CreateCredentialType,
  CredentialTypeChanges,
  UpdateCredentialType,
  CredentialType: Shown,
  CredentialTypeEnvelope,
  CredentialTypeList,
  NewCredentialTarget: NewTarget,
  PutCredentialTarget: PutTarget,
  CredentialTargetEnvelope: TargetEnvelope,
  CredentialTypeMetadata: TypeMetadata,
  TrustedIssuer,
});
