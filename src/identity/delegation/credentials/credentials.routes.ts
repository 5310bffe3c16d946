// /v3/credentials

import { factsOnly, type IdentityApp } from '../../access/rules/index.ts';
import { filterDocumentation, listOf } from '../../ground/resource/index.ts';
import type { Credentials } from './credentials.rules.ts';
import {
  CreateCredential,
  CredentialEnvelope,
  CredentialList,
  renderCredential,
  UpdateCredential,
} from './credentials.schema.ts';

const tag = 'Credentials';

export function mountCredentials(app: IdentityApp, { credentials }: { credentials: Credentials }): void {
  const one = '/v3/credentials/:credential_id';
  const credential = ({ params }: { params: { credential_id: string } }) => credentials.target(params.credential_id);

  app.get(
    '/v3/credentials',
    {
      id: 'listCredentials',
      summary: 'List credentials',
      tag,
      rule: 'identity:list_credentials',
      target: ({ caller }) => factsOnly({ userId: caller.userId }),
      documentation: filterDocumentation(['user_id', 'type']),
      reply: { 200: CredentialList },
    },
    async (call) => listOf(call, 'credentials', await credentials.list(call.caller, call.query), renderCredential),
  );
  app.post(
    '/v3/credentials',
    {
      id: 'createCredential',
      summary: 'Create a credential',
      description: '`blob` is stored encrypted. A credential of type `totp` is a second factor of the user.',
      tag,
      rule: 'identity:create_credential',
      target: ({ caller, body }) => credentials.ownerTarget(caller, body.credential),
      body: CreateCredential,
      reply: { 201: CredentialEnvelope },
    },
    async ({ caller, target, body, base }) => ({
      credential: renderCredential(base, await credentials.create(caller, target, body.credential)),
    }),
  );
  app.get(
    one,
    {
      id: 'getCredential',
      summary: 'Show a credential',
      tag,
      rule: 'identity:get_credential',
      target: credential,
      reply: { 200: CredentialEnvelope },
    },
    async ({ caller, target, base }) => ({ credential: renderCredential(base, await credentials.get(caller, target)) }),
  );
  app.patch(
    one,
    {
      id: 'updateCredential',
      summary: 'Change a credential',
      tag,
      rule: 'identity:update_credential',
      target: credential,
      body: UpdateCredential,
      reply: { 200: CredentialEnvelope },
    },
    async ({ caller, target, body, base }) => ({
      credential: renderCredential(base, await credentials.update(caller, target, body.credential)),
    }),
  );
  app.delete(
    one,
    {
      id: 'deleteCredential',
      summary: 'Delete a credential',
      tag,
      rule: 'identity:delete_credential',
      target: credential,
      reply: { 204: null },
    },
    ({ caller, target }) => credentials.remove(caller, target),
  );
}
