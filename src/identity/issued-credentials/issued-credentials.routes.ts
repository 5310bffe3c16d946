// /v3/OS-ROLE-CREDENTIALS/credentials
import type { Caller, IdentityApp } from '../access/index.ts';
import { listOf, PAGE_DOCUMENTATION } from '../resource/index.ts';
import type { IssuedList } from './issued-credentials.rules.ts';
import {
  IssuedCredentialEnvelope,
  IssuedCredentialList,
  renderIssued,
  UpdateIssuedCredential,
} from './issued-credentials.schema.ts';

const tag = 'Role credentials';

export function mountIssuedCredentials(app: IdentityApp, { issuedList }: { readonly issuedList: IssuedList }): void {
  const all = '/v3/OS-ROLE-CREDENTIALS/credentials';
  const one = '/v3/OS-ROLE-CREDENTIALS/credentials/:credential_id';
  const target = ({ caller, params }: { caller: Caller; params: { credential_id: string } }) =>
    issuedList.target(caller, params.credential_id);

  app.get(
    all,
    {
      summary: 'List issued credentials',
      description:
        'Those that were revoked, and those that expired within the last days, too. Whoever is no administrator names themselves, or an application that they manage.',
      tag,
      rule: 'list_issued_credentials',
      target: ({ caller, query }) => issuedList.listTarget(caller, query),
      documentation: {
        query: {
          ...PAGE_DOCUMENTATION.query,
          user_id: 'Only those of this user.',
          application_id: 'Only those of types of this application.',
          type_id: 'Only those of this type.',
          state: 'Only those in this state: `valid`, `suspended` or `revoked`.',
        },
      },
      reply: { 200: IssuedCredentialList },
    },
    async (call) => {
      const page = await issuedList.list(call.query);
      return listOf(call, 'credentials', {
        ...page,
        items: page.items.map(({ row, said }) => renderIssued(call.base, row, said)),
      });
    },
  );
  app.get(
    one,
    {
      summary: 'Show an issued credential',
      tag,
      rule: 'get_issued_credential',
      target,
      reply: { 200: IssuedCredentialEnvelope },
    },
    async (call) => {
      const { row, said } = await issuedList.show(call.target);
      return { credential: renderIssued(call.base, row, said) };
    },
  );
  app.patch(
    one,
    {
      summary: 'Suspend an issued credential, or take that back',
      description: 'The published lists say so within a second.',
      tag,
      rule: 'update_issued_credential',
      target,
      body: UpdateIssuedCredential,
      reply: { 200: IssuedCredentialEnvelope },
    },
    async (call) => {
      const { row, said } = await issuedList.update(call.caller, call.target, call.body.credential.state);
      return { credential: renderIssued(call.base, row, said) };
    },
  );
  app.delete(
    one,
    {
      summary: 'Revoke an issued credential',
      description: 'For good. It stays in the list until some days after it has expired.',
      tag,
      rule: 'revoke_issued_credential',
      target,
      reply: { 204: null },
    },
    ({ caller, target: row }) => issuedList.revoke(caller, row),
  );
}
