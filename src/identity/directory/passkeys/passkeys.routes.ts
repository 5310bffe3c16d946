// /v3/users/{user_id}/OS-PASSKEYS/passkeys
import type { IdentityApp } from '../../access/rules/index.ts';
import { wholeList } from '../../ground/resource/index.ts';
import type { Subject } from '../two-factor/index.ts';
import type { Passkeys } from './passkeys.rules.ts';
import { PasskeyList, renderPasskey } from './passkeys.schema.ts';

const tag = 'Passkeys';

export function mountPasskeys(app: IdentityApp, { passkeys, subject }: { passkeys: Passkeys; subject: Subject }): void {
  const path = '/v3/users/:user_id/OS-PASSKEYS/passkeys';
  const target = ({ params }: { params: { user_id: string } }) => subject.target(params.user_id);

  app.get(
    path,
    {
      id: 'listUserPasskeys',
      summary: 'List the passkeys of a user',
      tag,
      rule: 'list_passkeys',
      target,
      reply: { 200: PasskeyList },
    },
    async (call) => wholeList(call, 'passkeys', await passkeys.list(call.target.id), renderPasskey),
  );

  app.delete(
    '/v3/users/:user_id/OS-PASSKEYS/passkeys/:passkey_id',
    {
      id: 'deleteUserPasskey',
      summary: 'Remove a passkey of a user',
      description: 'The owner cannot remove their only way to sign in, nor their last passkey if they must have one.',
      tag,
      rule: 'delete_passkey',
      target,
      reply: { 204: null },
    },
    async ({ caller, target: user, params }) => passkeys.remove(await subject.toChange(caller, user), user.id, params.passkey_id),
  );
}
