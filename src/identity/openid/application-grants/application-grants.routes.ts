// /v3/OS-OAUTH2/consumers/{consumer_id}/grants: who gave an application access

import { isoTime } from '../../../platform/clock.ts';
import { t } from '../../../platform/http/index.ts';
import type { Caller, IdentityApp } from '../../access/rules/index.ts';
import type { Consumers } from '../../applications/consumers/index.ts';
import { ListLinks, listOf, PAGE_DOCUMENTATION } from '../../ground/resource/index.ts';
import type { ApplicationGrants } from './application-grants.rules.ts';

const tag = 'Consumers';

const Grant = t.object(
  {
    user: t.object({ id: t.string(), name: t.string() }),
    consented: t.boolean(),
    access_tokens: t.integer(),
    refresh_tokens: t.integer(),
    first_at: t.string(),
    last_at: t.string(),
  },
  {},
  {
    examples: [
      {
        user: { id: '1f42', name: 'ann' },
        consented: true,
        access_tokens: 2,
        refresh_tokens: 1,
        first_at: '2026-11-08T22:02:00.000000Z',
        last_at: '2026-11-16T08:10:00.000000Z',
      },
    ],
  },
);
const GrantList = t.object({ links: ListLinks, grants: t.array(Grant) });

export function mountApplicationGrants(
  app: IdentityApp,
  { consumers, openid }: { consumers: Consumers; openid: { readonly applicationGrants: ApplicationGrants } },
): void {
  const many = '/v3/OS-OAUTH2/consumers/:consumer_id/grants' as const;
  const target = ({ caller, params }: { caller: Caller; params: { consumer_id: string } }) =>
    consumers.target(caller, params.consumer_id);

  app.get(
    many,
    {
      id: 'listConsumerGrants',
      summary: 'List the people who gave a consumer access',
      description: 'Sorted by user id, with the scopes.',
      tag,
      rule: 'list_consumer_grants',
      target,
      documentation: PAGE_DOCUMENTATION,
      reply: { 200: GrantList },
    },
    async (call) => {
      const page = await openid.applicationGrants.list(call.target, call.query);
      const items = page.items.map((item) => ({
        user: { id: item.userId, name: item.name },
        consented: item.consents > 0,
        access_tokens: item.accessTokens,
        refresh_tokens: item.refreshTokens,
        first_at: isoTime(item.firstAt * 1000),
        last_at: isoTime(item.lastAt * 1000),
      }));
      return listOf(call, 'grants', { ...page, items });
    },
  );

  app.delete(
    many,
    {
      id: 'deleteConsumerGrants',
      summary: 'End the access of a consumer to everybody',
      description: 'All consents and tokens of the application end, also its own (client credentials). Roles in it stay.',
      tag,
      rule: 'end_consumer_grant',
      target,
      reply: { 204: null },
    },
    (call) => consumers.endAccess(call.caller, call.target),
  );

  app.delete(
    `${many}/:user_id`,
    {
      id: 'deleteConsumerGrant',
      summary: 'End the access of a consumer to one person',
      description: 'Their consent and all tokens of the application for them end.',
      tag,
      rule: 'end_consumer_grant',
      target,
      reply: { 204: null },
    },
    (call) => openid.applicationGrants.end(call.caller, call.target, call.params.user_id),
  );
}

t.name({ ApplicationGrant: Grant, ApplicationGrantList: GrantList });
