// /v3/OS-REGISTRATION/waiting: who registered and waits for an administrator.
import { factsOnly, type IdentityApp, listFacts } from '../../access/rules/index.ts';
import type { Users } from '../../directory/users/index.ts';
import { filterDocumentation, listOf } from '../../ground/resource/index.ts';
import type { Waiting } from './waiting.rules.ts';
import { RefuseRegistration, renderWaiting, WaitingList } from './waiting.schema.ts';

const tag = 'Registration';
const path = '/v3/OS-REGISTRATION/waiting';

export function mountWaiting(app: IdentityApp, { waiting, users }: { readonly waiting: Waiting; readonly users: Users }): void {
  const target = ({ params }: { params: { user_id: string } }) => users.target(params.user_id);

  app.get(
    path,
    {
      id: 'listWaitingRegistrations',
      summary: 'List who registered and waits for approval',
      description:
        'Where an administrator confirms registrations. Their addresses are confirmed, and their accounts disabled. Who waits longest comes first.',
      tag,
      rule: 'identity:list_waiting_registrations',
      target: ({ caller }) => factsOnly(listFacts(caller)),
      documentation: filterDocumentation(['domain_id'], [], {}),
      reply: { 200: WaitingList },
    },
    async (call) => listOf(call, 'waiting', await waiting.list(call.caller, call.query), renderWaiting),
  );

  app.post(
    `${path}/:user_id/approve`,
    {
      id: 'approveRegistration',
      summary: 'Approve a registration',
      description: 'The account is enabled, and the person gets a mail.',
      tag,
      rule: 'identity:approve_registration',
      target,
      reply: { 204: null },
    },
    ({ caller, target: user }) => waiting.approve(caller, user),
  );

  app.post(
    `${path}/:user_id/refuse`,
    {
      id: 'refuseRegistration',
      summary: 'Refuse a registration',
      description:
        'The account is deleted, and the person gets a mail, with the reason if there is one. They may register again.',
      tag,
      rule: 'identity:refuse_registration',
      target,
      body: RefuseRegistration,
      reply: { 204: null },
    },
    ({ caller, target: user, body }) => waiting.refuse(caller, user, body.refusal.reason?.trim() ?? ''),
  );
}
