// OAuth2 as Keyrock's back-end had it, for its clients: the same grants, codes and tokens as the standard face.

import { isoTime } from '../../../platform/clock.ts';
import { Answer, t } from '../../../platform/http/index.ts';
import { andThen } from '../../../platform/maybe-promise.ts';
import { factsOnly, type IdentityApp, targetOf } from '../../access/index.ts';
import type { Actor } from '../../audit/index.ts';
import { fail } from '../../faults.ts';
import { Links, ListLinks, single, wholeList } from '../../resource/index.ts';
import type { AccessTokens } from '../provider/access-tokens.ts';
import type { Kept } from '../provider/records/find.ts';
import type { Records } from '../provider/records/records.ts';
import type { KeyrockCodes } from './codes.ts';

const tag = "OAuth2 of Keyrock's back-end";

const ASKED = {
  query: {
    client_id: 'The application.',
    redirect_uri: 'Where to send the person with the code: one that is registered, or the only one when it is not given.',
    response_type: 'code.',
    scope: 'Words with spaces; those of the application when it is not given.',
    state: 'Comes back as it is.',
  },
  required: ['client_id', 'response_type'],
};
const REDIRECTED = { replyHeaders: { Location: 'The address of the application, with the code.' } };
const Asked = t.object({
  data: t.object({
    consumer: t.object({ id: t.string(), name: t.string() }, { description: t.nullable(t.string()) }),
    redirect_uri: t.string(),
    requested_scopes: t.array(t.string()),
  }),
});
const Allowed = t.envelope(
  'user_auth',
  t.open(
    {
      client_id: t.string({ minLength: 1, maxLength: 255 }),
      scopes: t.array(t.string({ maxLength: 255 }), { minItems: 1, maxItems: 50 }),
    },
    { user_id: t.string() },
  ),
);
const AccessToken = t.object({
  id: t.string(),
  authorizing_user_id: t.string(),
  consumer_id: t.string(),
  scopes: t.array(t.string()),
  expires_at: t.string(),
  valid: t.boolean(),
  links: Links,
});
const Information = t.open(
  { id: t.string(), email: t.string(), displayName: t.string(), app_id: t.string() },
  { roles: t.array(t.open({})), organizations: t.array(t.open({})) },
);

interface Parts {
  readonly openid: {
    readonly accessTokens: AccessTokens;
    readonly keyrockCodes: KeyrockCodes;
    readonly records: Records;
    revoke(actor: Actor, userId: string, id: string): Promise<void>;
  };
}

function mountAccessTokensOfUsers(app: IdentityApp, parts: Parts): void {
  const many = '/v3/users/:user_id/OS-OAUTH2/access_tokens' as const;
  const one = '/v3/users/:user_id/OS-OAUTH2/access_tokens/:access_token_id' as const;

  const rule = 'access_tokens';
  const target = ({ params }: { params: { user_id: string } }) => ({
    facts: { userId: params.user_id },
    get: () => params.user_id,
  });

  const render = (base: string, userId: string, { id, payload }: Kept) => ({
    // A name for it, not the token: whoever reads a list must not be able to use what is in it.
    id,
    authorizing_user_id: userId,
    consumer_id: payload.clientId ?? '',
    scopes: String(payload.scope ?? '')
      .split(' ')
      .filter(Boolean),
    expires_at: isoTime(Number(payload.exp) * 1000),
    valid: true,
    links: { self: `${base}/v3/users/${userId}/OS-OAUTH2/access_tokens/${id}` },
  });

  app.get(
    many,
    {
      summary: 'Access tokens of a user',
      tag,
      rule,
      target,
      reply: { 200: t.object({ links: ListLinks, access_tokens: t.array(AccessToken) }) },
    },
    async (call) => {
      const kept = await parts.openid.records.ofUser(call.target, 'AccessToken');
      return wholeList(
        call,
        'access_tokens',
        kept.map((token) => render(call.base, call.target, token)),
      );
    },
  );

  app.get(
    one,
    { summary: 'One of them', tag, rule, target, reply: { 200: t.envelope('access_token', AccessToken) } },
    async ({ target: userId, params, base }) => {
      const kept = await parts.openid.records.ofUser(userId, 'AccessToken');
      const token = kept.find(({ id }) => id === params.access_token_id) ?? fail('access_token.not_found');
      return { access_token: render(base, userId, token) };
    },
  );

  app.delete(one, { summary: 'Take an access token back', tag, rule, target, reply: { 204: null } }, (call) =>
    parts.openid.revoke(call.caller, call.target, call.params.access_token_id),
  );
}

export function mountKeyrockOAuth(app: IdentityApp, parts: Parts): void {
  app.get(
    '/v3/OS-OAUTH2/authorize',
    {
      summary: 'What an application asks the caller for',
      tag,
      rule: 'authorize',
      target: ({ caller }) => factsOnly({ userId: caller.userId }),
      documentation: ASKED,
      reply: { 200: Asked },
    },
    async ({ caller, query }) => {
      const [id = '', uri, type, scope = '', state] = ['client_id', 'redirect_uri', 'response_type', 'scope', 'state'].map(
        (name) => single(query, name),
      );
      if (type !== 'code') fail('request.bad_value', { field: 'response_type', why: 'it must be code' });
      const asked = { clientId: id, redirectUri: uri, scopes: scope.split(' ').filter(Boolean), state };
      const { consumer, redirectUri, scopes } = await parts.openid.keyrockCodes.ask(caller, asked);
      return {
        data: {
          consumer: { id: consumer.id, name: consumer.name, description: consumer.description },
          redirect_uri: redirectUri,
          requested_scopes: scopes,
        },
      };
    },
  );

  app.post(
    '/v3/OS-OAUTH2/authorize',
    {
      summary: 'Let an application act for the caller: redirects with a code',
      tag,
      rule: 'authorize',
      target: ({ caller, body }) => factsOnly({ userId: body.user_auth.user_id ?? caller.userId }),
      body: Allowed,
      documentation: REDIRECTED,
      reply: { 302: null },
    },
    async ({ caller, body: { user_auth: allowed } }) => {
      const location = await parts.openid.keyrockCodes.allow(caller, allowed.client_id, allowed.scopes);
      return new Answer({ status: 302, headers: { Location: location } });
    },
  );

  app.get(
    '/v3/access-tokens/:token',
    {
      summary: 'Who an access token stands for, and what they may do',
      fromMemory: true,
      tag,
      rule: 'verify_access_token',
      target: ({ params }) =>
        andThen(parts.openid.accessTokens.verify(params.token), (found) =>
          // Bound to a key (RFC 9449): whoever asks here has no proof that it was shown by who holds that; introspection names the key.
          targetOf(
            found?.user && found.thumbprint === undefined ? found : undefined,
            () => ({}),
            () => fail('access_token.not_found'),
          ),
        ),
      reply: { 200: Information },
    },
    ({ target }) => new Answer({ text: target.information }),
  );

  mountAccessTokensOfUsers(app, parts);
}
