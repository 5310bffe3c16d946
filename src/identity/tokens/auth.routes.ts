// /v3/auth/tokens and /v3/auth/catalog
import { Answer, type App, type Call, t } from '../../platform/http/index.ts';
import type { Caller } from '../caller.ts';
import { Catalog } from '../catalog/index.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../faults.ts';
import { Links, readFlag } from '../lists.ts';
import { type Action, permit } from '../policy.ts';
import type { AuthRules } from './auth.rules.ts';
import { Auth, readScope, TokenReply } from './auth.schema.ts';
import type { TokenText } from './render.ts';
import type { Revocations } from './revocations.ts';
import type { VerifiedToken } from './tokens.ts';

const tag = 'Tokens';
const CatalogReply = t.object({ catalog: Catalog, links: Links });

interface AuthDeps extends Pick<Deps, 'tokens' | 'config'> {
  readonly auth: AuthRules;
  readonly tokenText: TokenText;
  readonly revocations: Revocations;
}

export function mountAuth(app: App<Caller>, { auth, tokens, tokenText, revocations, config }: AuthDeps): void {
  /** The token a request is about. Whoever may not ask about it does not learn whether it exists. */
  async function subject(
    { headers, caller, query }: Pick<Call<Caller>, 'headers' | 'caller' | 'query'>,
    action: Action,
  ): Promise<{ text: string } & VerifiedToken> {
    const text = headers['x-subject-token'];
    const own = text === caller.tokenText;
    const graceMs = readFlag(query, 'allow_expired') ? config.allowExpiredSeconds * 1000 : 0;
    const found = own
      ? { record: caller.token, view: caller.view }
      : typeof text === 'string'
        ? await tokens.verify(text, graceMs)
        : undefined;
    permit(caller, action, { userId: found?.record.userId });
    if (!found || typeof text !== 'string') fail('token.not_found');
    return { text, ...found };
  }

  app.post(
    '/v3/auth/tokens',
    { summary: 'Log in: get a token', tag, access: 'anyone', body: Auth, reply: { 201: TokenReply } },
    async ({ body, query, address, requestId }) => {
      const { text, record, view } = await auth.logIn(body.auth.identity, readScope(body.auth.scope), { address, requestId });
      return new Answer({ headers: { 'X-Subject-Token': text }, text: await tokenText(record, view, !('nocatalog' in query)) });
    },
  );

  app.get(
    '/v3/auth/tokens',
    {
      summary: 'Validate a token (X-Subject-Token) and show it',
      tag,
      policy: 'identity:validate_token',
      reply: { 200: TokenReply },
    },
    async (call) => {
      const { text, record, view } = await subject(call, 'identity:validate_token');
      return new Answer({
        headers: { 'X-Subject-Token': text },
        text: await tokenText(record, view, !('nocatalog' in call.query)),
      });
    },
  );

  app.head(
    '/v3/auth/tokens',
    { summary: 'Check a token (X-Subject-Token)', tag, policy: 'identity:check_token', reply: { 200: null } },
    async (call) => {
      const { text } = await subject(call, 'identity:check_token');
      return new Answer({ headers: { 'X-Subject-Token': text } });
    },
  );

  app.delete(
    '/v3/auth/tokens',
    { summary: 'Revoke a token (X-Subject-Token)', tag, policy: 'identity:revoke_token', reply: { 204: null } },
    async (call) => {
      const { record } = await subject(call, 'identity:revoke_token');
      await revocations.revoke(call.caller, record);
    },
  );

  app.get(
    '/v3/auth/catalog',
    { summary: 'Show the catalog of this token', tag, policy: 'identity:get_auth_catalog', reply: { 200: CatalogReply } },
    async ({ caller, base, path }) => {
      if (!caller.view.project) fail('auth.catalog_needs_project');
      return { catalog: await tokenText.catalogOf(caller.view), links: { self: base + path } };
    },
  );
}
