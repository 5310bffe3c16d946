// /v3/OS-ROLE-CREDENTIALS/types and /targets; for everybody: /openid/credential-types/{id} and /v4/issuers/{did}
import { Answer } from '../../../platform/http/index.ts';
import type { Caller, IdentityApp } from '../../access/rules/index.ts';
import { fail } from '../../ground/faults.ts';
import { CHANGE_IF_MATCH, DELETE_IF_MATCH, ETAG, filterDocumentation, listOf, withEtag } from '../../ground/resource/index.ts';
import { type IssuerIdentity, PUBLISHED } from '../issuer/index.ts';
import type { CredentialType } from './credential-type.ts';
import { type CredentialTypeManagement, versionedType } from './credential-types.rules.ts';
import {
  CreateCredentialType,
  CredentialTypeEnvelope,
  CredentialTypeList,
  PutTarget,
  renderCredentialType,
  TargetEnvelope,
  TrustedIssuer,
  TypeMetadata,
  UpdateCredentialType,
} from './credential-types.schema.ts';
import type { PublishedTypes } from './published.ts';
import type { CredentialTargets, NamedTarget } from './targets.rules.ts';

const tag = 'Role credentials';

export interface CredentialTypeRouteDeps {
  readonly issuerIdentity: IssuerIdentity;
  readonly credentialTypeManagement: CredentialTypeManagement;
  readonly credentialTargets: CredentialTargets;
  readonly publishedTypes: PublishedTypes;
}

export function mountCredentialTypes(app: IdentityApp, deps: CredentialTypeRouteDeps): void {
  const { issuerIdentity, credentialTypeManagement: types } = deps;
  const many = '/v3/OS-ROLE-CREDENTIALS/types';
  const one = '/v3/OS-ROLE-CREDENTIALS/types/:type_id';
  const target = ({ caller, params }: { caller: Caller; params: { type_id: string } }) => types.target(caller, params.type_id);
  const render = (base: string, type: CredentialType) => renderCredentialType(base, issuerIdentity.id(), type);
  const shown = (base: string, type: CredentialType) => withEtag(versionedType(type), { credential_type: render(base, type) });

  app.get(
    many,
    {
      id: 'listCredentialTypes',
      summary: 'List credential types',
      description: 'Without `application_id`: of all applications that the caller manages.',
      tag,
      rule: 'list_credential_types',
      target: ({ caller, query }) => types.listTarget(caller, query),
      documentation: filterDocumentation(['name', 'application_id'], ['enabled']),
      reply: { 200: CredentialTypeList },
    },
    async (call) => listOf(call, 'credential_types', await types.list(call.query, call.target), render),
  );
  app.post(
    many,
    {
      id: 'createCredentialType',
      summary: 'Create a credential type',
      description: 'People who have one of its roles can receive credentials of this type in their wallets.',
      tag,
      rule: 'create_credential_type',
      target: ({ caller, body }) => types.applicationTarget(caller, body.credential_type.application_id),
      body: CreateCredentialType,
      reply: { 201: CredentialTypeEnvelope },
    },
    async ({ caller, target: application, body, base }) => ({
      credential_type: render(base, await types.create(caller, application, body.credential_type)),
    }),
  );
  app.get(
    one,
    {
      id: 'getCredentialType',
      summary: 'Show a credential type',
      tag,
      rule: 'get_credential_type',
      target,
      documentation: ETAG,
      reply: { 200: CredentialTypeEnvelope },
    },
    ({ target: type, base }) => shown(base, type),
  );
  app.patch(
    one,
    {
      id: 'updateCredentialType',
      summary: 'Change a credential type',
      description: 'Credentials that could no longer be issued after the change are revoked.',
      tag,
      rule: 'update_credential_type',
      target,
      documentation: CHANGE_IF_MATCH,
      body: UpdateCredentialType,
      reply: { 200: CredentialTypeEnvelope },
    },
    async (call) => shown(call.base, await types.update(types.callerOf(call), call.target, call.body.credential_type)),
  );
  app.delete(
    one,
    {
      id: 'deleteCredentialType',
      summary: 'Delete a credential type',
      description: 'All issued credentials of this type are revoked.',
      tag,
      rule: 'delete_credential_type',
      target,
      documentation: DELETE_IF_MATCH,
      reply: { 204: null },
    },
    (call) => types.remove(types.callerOf(call), call.target),
  );
  mountTargets(app, deps);
  mountPublished(app, deps);
}

function mountTargets(app: IdentityApp, { credentialTargets: targets }: CredentialTypeRouteDeps): void {
  const path = '/v3/OS-ROLE-CREDENTIALS/targets/:application_id';
  const target = ({ caller, params }: { caller: Caller; params: { application_id: string } }) =>
    targets.target(caller, params.application_id);
  const render = (base: string, { applicationId, did }: NamedTarget) => ({
    target: {
      application_id: applicationId,
      did,
      links: { self: `${base}/v3/OS-ROLE-CREDENTIALS/targets/${applicationId}` },
    },
  });

  app.get(
    path,
    {
      id: 'getCredentialTarget',
      summary: 'Show the DID by which credentials name an application',
      tag,
      rule: 'get_credential_target',
      target,
      reply: { 200: TargetEnvelope },
    },
    async ({ target: application, base }) => render(base, await targets.show(application)),
  );
  app.put(
    path,
    {
      id: 'setCredentialTarget',
      summary: 'Let credentials name an application by its DID',
      description:
        'Without a DID, they name it by its id. Issued credentials with the former name are revoked. Only administrators may set the DID, because a credential gives roles in the application that it names.',
      tag,
      rule: 'set_credential_target',
      target,
      body: PutTarget,
      reply: { 200: TargetEnvelope },
    },
    async ({ caller, target: application, body, base }) => render(base, await targets.put(caller, application, body.target.did)),
  );
  app.delete(
    path,
    {
      id: 'deleteCredentialTarget',
      summary: 'Let credentials name an application by its id again',
      tag,
      rule: 'set_credential_target',
      target,
      reply: { 204: null },
    },
    ({ caller, target: application }) => targets.remove(caller, application),
  );
}

function mountPublished(app: IdentityApp, { publishedTypes }: CredentialTypeRouteDeps): void {
  app.get(
    '/openid/credential-types/:type_id',
    {
      id: 'getCredentialTypeMetadata',
      summary: 'Show what a credential type is',
      description: 'SD-JWT VC type metadata. The address is the `vct` of the type.',
      tag,
      rule: 'anyone',
      reply: { 200: TypeMetadata },
    },
    async ({ params }) => {
      const metadata = await publishedTypes.metadata(params.type_id);
      return new Answer({
        headers: PUBLISHED,
        body: metadata ?? fail('credential_type.not_found', { id: params.type_id }, { headers: PUBLISHED }),
      });
    },
  );
  app.get(
    '/v4/issuers/:did',
    {
      id: 'getTrustedIssuer',
      summary: 'Show the entry of the issuer in a registry of trusted issuers',
      description:
        'In the form of EBSI’s registry, version 4, for verifiers such as that of FIWARE. The DID is that of this service.',
      tag,
      rule: 'anyone',
      reply: { 200: TrustedIssuer },
    },
    async ({ params }) => {
      const entry = await publishedTypes.trustedIssuer(params.did);
      return new Answer({ headers: PUBLISHED, body: entry ?? fail('issuer.not_found', undefined, { headers: PUBLISHED }) });
    },
  );
}
