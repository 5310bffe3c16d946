// /v3/credentials

import { filtered, listOf } from '../lists.ts';
import type { IdentityApp } from '../policy.ts';
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

  app.get(
    '/v3/credentials',
    {
      summary: 'List credentials',
      tag,
      policy: 'identity:list_credentials',
      described: filtered(['user_id', 'type']),
      reply: { 200: CredentialList },
    },
    async (call) => {
      const page = await credentials.list(call.caller, call.query);
      return listOf(call, 'credentials', { ...page, items: page.items.map((row) => renderCredential(call.base, row)) });
    },
  );
  app.post(
    '/v3/credentials',
    {
      summary: 'Create a credential',
      tag,
      policy: 'identity:create_credential',
      body: CreateCredential,
      reply: { 201: CredentialEnvelope },
    },
    async ({ caller, body, base }) => ({ credential: renderCredential(base, await credentials.create(caller, body.credential)) }),
  );
  app.get(
    one,
    { summary: 'Show a credential', tag, policy: 'identity:get_credential', reply: { 200: CredentialEnvelope } },
    async ({ caller, params, base }) => ({
      credential: renderCredential(base, await credentials.get(caller, params.credential_id)),
    }),
  );
  app.patch(
    one,
    {
      summary: 'Change a credential',
      tag,
      policy: 'identity:update_credential',
      body: UpdateCredential,
      reply: { 200: CredentialEnvelope },
    },
    async ({ caller, params, body, base }) => ({
      credential: renderCredential(base, await credentials.update(caller, params.credential_id, body.credential)),
    }),
  );
  app.delete(
    one,
    { summary: 'Delete a credential', tag, policy: 'identity:delete_credential', reply: { 204: null } },
    async ({ caller, params }) => credentials.remove(caller, params.credential_id),
  );
}
