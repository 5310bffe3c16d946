// /v3/OS-ROLE-CREDENTIALS/credentials
import type { Caller, IdentityApp } from '../../access/rules/index.ts';
import { listOf, PAGE_DOCUMENTATION } from '../../ground/resource/index.ts';
import { type IssuedList, isForWalletIn } from './issued-credentials.rules.ts';
import {
  IssuedCredentialEnvelope,
  IssuedCredentialList,
  renderIssued,
  UpdateIssuedCredential,
} from './issued-credentials.schema.ts';

const tag = 'Role credentials';
const SAME_WALLET = {
  query: { same_wallet: 'true: also everything else that the same wallet got of this type in this format, at first and again.' },
};

export function mountIssuedCredentials(app: IdentityApp, { issuedList }: { readonly issuedList: IssuedList }): void {
  const all = '/v3/OS-ROLE-CREDENTIALS/credentials';
  const one = '/v3/OS-ROLE-CREDENTIALS/credentials/:credential_id';
  const target = ({ caller, params }: { caller: Caller; params: { credential_id: string } }) =>
    issuedList.target(caller, params.credential_id);

  app.get(
    all,
    {
      id: 'listIssuedCredentials',
      summary: 'List issued credentials',
      description:
        'Also credentials that were revoked, or expired within the last days. Callers who are not administrators must name themselves (`user_id`) or an application that they manage (`application_id`).',
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
          newest:
            'true: of what one wallet got of one type in one format, and what is in the same state, only the newest. Without it, every copy is listed, and what it replaced.',
          sort: 'issued_at, or -issued_at for the newest first. Without it, by id.',
        },
      },
      reply: { 200: IssuedCredentialList },
    },
    async (call) => listOf(call, 'credentials', await issuedList.list(call.query), renderIssued),
  );
  app.get(
    one,
    {
      id: 'getIssuedCredential',
      summary: 'Show an issued credential',
      tag,
      rule: 'get_issued_credential',
      target,
      reply: { 200: IssuedCredentialEnvelope },
    },
    async (call) => {
      return { credential: renderIssued(call.base, await issuedList.show(call.target)) };
    },
  );
  app.patch(
    one,
    {
      id: 'updateIssuedCredential',
      summary: 'Suspend or resume an issued credential',
      description: 'The status lists show the change within a second.',
      tag,
      rule: 'update_issued_credential',
      target,
      documentation: SAME_WALLET,
      body: UpdateIssuedCredential,
      reply: { 200: IssuedCredentialEnvelope },
    },
    async (call) => {
      const { caller, target: row, body, query, base } = call;
      return {
        credential: renderIssued(base, await issuedList.update(caller, row, body.credential.state, isForWalletIn(query))),
      };
    },
  );
  app.delete(
    one,
    {
      id: 'revokeIssuedCredential',
      summary: 'Revoke an issued credential',
      description: 'This cannot be undone. The credential is still listed until some days after it has expired.',
      tag,
      rule: 'revoke_issued_credential',
      target,
      documentation: SAME_WALLET,
      reply: { 204: null },
    },
    ({ caller, target: row, query }) => issuedList.revoke(caller, row, isForWalletIn(query)),
  );
}
