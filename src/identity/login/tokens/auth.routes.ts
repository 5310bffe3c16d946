// /v3/auth/tokens and /v3/auth/catalog

import { isoTime } from '../../../platform/clock.ts';
import { Answer, type Call, t } from '../../../platform/http/index.ts';
import { andThen, type MaybePromise } from '../../../platform/maybe-promise.ts';
import type { VerifiedToken } from '../../access/context/index.ts';
import { type Caller, DELEGATED, type IdentityApp, type IdentityTarget } from '../../access/rules/index.ts';
import { Catalog } from '../../catalog/services/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, Links, readFlag, signedRequestOf } from '../../ground/resource/index.ts';
import type { AuthRules, LogInOutcome } from './auth.rules.ts';
import { Auth, ReceiptReply, readScope, TokenReply } from './auth.schema.ts';
import type { TokenText } from './render.ts';
import type { Revocations } from './revocations.ts';
import type { Tokens } from './tokens.ts';

const tag = 'Tokens';
const CatalogReply = t.object({ catalog: Catalog, links: Links });

const NO_CATALOG = { nocatalog: 'Leave the catalog out. The value is ignored.' };
const TOKEN_HEADER = { 'X-Subject-Token': 'The token.' };
const LOGIN_DOCUMENTATION = {
  headers: { 'Openstack-Auth-Receipt': 'Continues a login of which some methods succeeded.' },
  query: NO_CATALOG,
  replyHeaders: {
    'X-Subject-Token': 'With 201: the token.',
    'Openstack-Auth-Receipt': 'With 401, when more methods are required: proof of those that succeeded.',
  },
};
const SUBJECT_DOCUMENTATION = {
  headers: { 'X-Subject-Token': 'The token the request is about.' },
  query: { allow_expired: 'Also accept a token that expired recently.' },
  required: ['X-Subject-Token'],
};

interface AuthDeps extends Pick<Deps, 'config'> {
  readonly tokens: Tokens;
  readonly auth: AuthRules;
  readonly tokenText: TokenText;
  readonly revocations: Revocations;
}

/** A 401 that names the methods still required. */
function receiptAnswer(
  { text, receipt, authContext, required }: Extract<LogInOutcome, { kind: 'receipt' }>,
  base: string,
): Answer {
  const missing = [...new Set(required.flat())].filter((method) => !(receipt.methods as readonly string[]).includes(method));
  const message = `Additional authentications steps required: ${missing.join(', ')}.`;
  return new Answer({
    status: 401,
    headers: { 'Openstack-Auth-Receipt': text, 'WWW-Authenticate': `Keystone uri="${base}"` },
    body: {
      error: { code: 401, title: 'Unauthorized', message, identity: { methods: missing } },
      receipt: {
        methods: receipt.methods,
        user: { id: authContext.user.id, name: authContext.user.name, domain: authContext.user.domain },
        expires_at: isoTime(receipt.expiresAt),
        issued_at: isoTime(receipt.issuedAt),
      },
      required_auth_methods: required,
    },
  });
}

/**
 * A token with access rules is shown only to services that say they check such rules, as Keystone does. Others would accept requests that
 * the rules do not allow.
 */
const knowsAccessRules = ({ authContext }: VerifiedToken, headers: Call<Caller>['headers']): boolean =>
  authContext.delegation?.accessRules === undefined || Number(headers['openstack-identity-access-rules']) >= 1;

export function mountAuth(app: IdentityApp, { auth, tokens, tokenText, revocations, config }: AuthDeps): void {
  /** The token in X-Subject-Token. An invalid one is 404 for everyone: tokens cannot be guessed, so this reveals nothing. */
  function subject({
    headers,
    caller,
    query,
  }: Pick<Call<Caller>, 'headers' | 'caller' | 'query'>): MaybePromise<IdentityTarget<VerifiedToken>> {
    const text = headers['x-subject-token'];
    const own = text === caller.tokenText;
    const graceMs = readFlag(query, 'allow_expired') ? config.allowExpiredSeconds * 1000 : 0;
    const verified = own
      ? { record: caller.token, authContext: caller.authContext }
      : typeof text === 'string'
        ? tokens.verify(text, graceMs)
        : undefined;
    return andThen(verified, (found) => {
      if ((!found && text !== undefined) || (found && !knowsAccessRules(found, headers))) fail('token.not_found');
      const { userId, auditId: tokenId, applicationId } = found?.record ?? {};
      return { facts: { userId, tokenId, applicationId }, get: () => found ?? fail('token.not_found') };
    });
  }

  /** Responses about a token repeat it in a header. */
  const tokenHeader = ({ headers }: Pick<Call<Caller>, 'headers'>) => ({
    'X-Subject-Token': headers['x-subject-token'] as string,
  });

  app.post(
    '/v3/auth/tokens',
    {
      id: 'logIn',
      summary: 'Log in',
      description:
        'Answers with the token in the header `X-Subject-Token`; the body says what it is for. `identity.methods` names how the caller proves who they are: `password`, `totp` (a one-time code), `token` (an earlier token), `application_credential` (the secret of a program), `oauth1` (the request is signed), `oauth2` (an access token; the token ends after ten minutes, or with the access token). A second factor may be sent with the password (`verification_code`, `device_data` or `recovery_code`). Without a scope, the token is for the default project of the user, if there is one.',
      tag,
      rule: 'anyone',
      body: Auth,
      documentation: LOGIN_DOCUMENTATION,
      reply: { 201: TokenReply, 401: ReceiptReply },
    },
    async ({ body, query, headers, base, path, address, requestId, signal }) => {
      const receipt = headers['openstack-auth-receipt'];
      const receiptText = typeof receipt === 'string' ? receipt : undefined;
      const outcome = await auth.logIn(
        body.auth.identity,
        readScope(body.auth.scope),
        { address, requestId, signal, signedRequest: signedRequestOf('POST', { base, path, query, headers }) },
        receiptText,
      );
      if (outcome.kind === 'receipt') return receiptAnswer(outcome, base);
      const { text, record, authContext } = outcome;
      return new Answer({
        headers: { 'X-Subject-Token': text },
        ...(await tokenText(record, authContext, !('nocatalog' in query))),
      });
    },
  );

  app.get(
    '/v3/auth/tokens',
    {
      id: 'validateToken',
      summary: 'Validate a token and show it',
      description:
        'The token to validate is in `X-Subject-Token`; `X-Auth-Token` is that of the caller, and may be the same. Answered from memory, thousands of times a second.',
      tag,
      fromMemory: true,
      rule: 'identity:validate_token',
      target: subject,
      documentation: {
        ...SUBJECT_DOCUMENTATION,
        query: { ...SUBJECT_DOCUMENTATION.query, ...NO_CATALOG },
        replyHeaders: TOKEN_HEADER,
      },
      reply: { 200: TokenReply },
    },
    (call) =>
      andThen(
        tokenText(call.target.record, call.target.authContext, !('nocatalog' in call.query)),
        ({ text, bytes }) => new Answer({ headers: tokenHeader(call), text, bytes }),
      ),
  );

  app.head(
    '/v3/auth/tokens',
    {
      id: 'checkToken',
      summary: 'Check a token',
      description: 'As validation, without a body.',
      tag,
      rule: 'identity:check_token',
      target: subject,
      documentation: { ...SUBJECT_DOCUMENTATION, replyHeaders: TOKEN_HEADER },
      reply: { 200: null },
    },
    (call) => new Answer({ headers: tokenHeader(call) }),
  );

  app.delete(
    '/v3/auth/tokens',
    {
      id: 'revokeToken',
      summary: 'Revoke a token',
      description:
        'The token in `X-Subject-Token` ends at once, in every process of the service. An application that acts for a person (method `oauth2`) ends its own tokens only.',
      tag,
      access: DELEGATED,
      rule: 'identity:revoke_token',
      target: subject,
      documentation: SUBJECT_DOCUMENTATION,
      reply: { 204: null },
    },
    async ({ caller, target }) => {
      await revocations.revoke(caller, target.record);
    },
  );

  app.get(
    '/v3/auth/catalog',
    {
      id: 'getAuthCatalog',
      summary: 'Show the catalog of this token',
      description: 'The services and endpoints that the project of the token sees.',
      tag,
      rule: 'identity:get_auth_catalog',
      reply: { 200: CatalogReply },
    },
    async ({ caller, base, path }) => {
      if (!caller.authContext.project) fail('auth.catalog_needs_project');
      return { catalog: await tokenText.catalogOf(caller.authContext), links: { self: base + path } };
    },
  );
}

t.name({ CatalogEnvelope: CatalogReply });
