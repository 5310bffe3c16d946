// /v3/OS-ACCOUNT/deletions, /v3/users/{user_id}/OS-ACCOUNT/deletion: administrators see and cancel what people asked for.
import { factsOnly, type IdentityApp, listFacts, type RankGuard } from '../../access/rules/index.ts';
import type { Users } from '../../directory/users/index.ts';
import { fail } from '../../ground/faults.ts';
import { filterDocumentation, listOf } from '../../ground/resource/index.ts';
import type { AccountDeletion } from './account-deletion.rules.ts';
import { AccountDeletionEnvelope, AccountDeletionList, renderDeletion } from './account-deletion.schema.ts';

const tag = 'Account deletion';

export function mountAccountDeletion(
  app: IdentityApp,
  { accountDeletion, users, refuseIfOutranked }: { accountDeletion: AccountDeletion; users: Users; refuseIfOutranked: RankGuard },
): void {
  const path = '/v3/users/:user_id/OS-ACCOUNT/deletion';
  const user = ({ params }: { params: { user_id: string } }) => users.target(params.user_id);

  app.get(
    '/v3/OS-ACCOUNT/deletions',
    {
      id: 'listAccountDeletions',
      summary: 'List accounts that are to be deleted',
      description: 'Their owners asked for the deletion. The account that is deleted next comes first.',
      tag,
      rule: 'identity:list_account_deletions',
      target: ({ caller }) => factsOnly(listFacts(caller)),
      documentation: filterDocumentation(['domain_id'], [], {}),
      reply: { 200: AccountDeletionList },
    },
    async (call) => {
      const page = await accountDeletion.list(call.caller, call.query);
      return listOf(call, 'deletions', { ...page, items: page.items.map((row) => renderDeletion(call.base, row.id, row)) });
    },
  );

  app.get(
    path,
    {
      id: 'getAccountDeletion',
      summary: 'Show when an account will be deleted',
      description: 'If its owner asked for that.',
      tag,
      rule: 'identity:get_account_deletion',
      target: user,
      reply: { 200: AccountDeletionEnvelope },
    },
    async ({ target: { id }, base }) => ({
      deletion: renderDeletion(base, id, (await accountDeletion.find(id)) ?? fail('account_deletion.not_found', { id })),
    }),
  );

  app.delete(
    path,
    {
      id: 'cancelAccountDeletion',
      summary: 'Keep an account that its owner wanted deleted',
      description: 'It is enabled again.',
      tag,
      rule: 'identity:cancel_account_deletion',
      target: user,
      reply: { 204: null },
    },
    ({ caller, target: { id } }) =>
      accountDeletion.cancel(caller, id, (reader) => refuseIfOutranked(reader, caller, 'identity:update_user', { userId: id })),
  );
}
