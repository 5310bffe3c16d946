// /v3/users/{user_id}/OS-DELEGATED/access: for the person, and for those who look after their account.
import type { IdentityApp } from '../../access/rules/index.ts';
import type { Users } from '../../directory/users/index.ts';
import { wholeList } from '../../ground/resource/index.ts';
import { DelegatedAccessList, renderDelegated } from './delegated-access.schema.ts';
import type { ManagedDelegatedAccess } from './managed.rules.ts';

const tag = 'Delegated access';

export function mountDelegatedAccess(
  app: IdentityApp,
  { managedDelegatedAccess: access, users }: { readonly managedDelegatedAccess: ManagedDelegatedAccess; readonly users: Users },
): void {
  const path = '/v3/users/:user_id/OS-DELEGATED/access';
  const target = ({ params }: { params: { user_id: string } }) => users.target(params.user_id);

  app.get(
    path,
    {
      id: 'listDelegatedAccess',
      summary: 'List what can act for a person',
      description:
        'Application credentials, trusts, tokens of OAuth 1.0 and keys. A new password does not end them. Sessions and tokens of OpenID Connect have lists of their own. The newest first; 200 trusts at most.',
      tag,
      rule: 'identity:list_delegated_access',
      target,
      reply: { 200: DelegatedAccessList },
    },
    async (call) => {
      const { items, hasMore } = await access.list(call.caller, call.target.id);
      return { ...wholeList(call, 'delegated_access', items.map(renderDelegated)), has_more: hasMore };
    },
  );

  app.delete(
    path,
    {
      id: 'endAllDelegatedAccess',
      summary: 'End everything that acts for a person',
      description:
        'With their sessions, tokens and remembered devices, and what applications got: whoever has one of these could make the rest again. Passwords, passkeys and the second factor stay.',
      tag,
      rule: 'identity:end_delegated_access',
      target,
      reply: { 204: null },
    },
    ({ caller, target: { id } }) => access.endAll(caller, id),
  );

  app.delete(
    `${path}/:delegated_kind/:delegated_id`,
    {
      id: 'endDelegatedAccess',
      summary: 'End one of what acts for a person',
      description: 'By its kind and id in the list, with all tokens that were made with it.',
      tag,
      rule: 'identity:end_delegated_access',
      target,
      reply: { 204: null },
    },
    ({ caller, target: { id }, params }) => access.end(caller, id, params.delegated_kind, params.delegated_id),
  );
}
