// /v3/OS-OAUTH2/token: Keystone's OAuth2 for application credentials. Applications of people get theirs at /openid/token.
import { t } from '../../../platform/http/index.ts';
import { APPLICATION_CREDENTIAL } from '../../access/context/index.ts';
import type { IdentityApp } from '../../access/rules/index.ts';
import { Fault, fail } from '../../ground/faults.ts';
import { OAuthError } from '../../ground/resource/index.ts';
import type { AuthRules } from './auth.rules.ts';

const tag = 'Application credentials';
const TokenRequest = t.open({}, { grant_type: t.string({ maxLength: 255, description: '`client_credentials`.' }) });
const TokenOfProgram = t.object({ access_token: t.string(), token_type: t.string(), expires_in: t.integer() });

const MAX_ID = 255;
const MAX_SECRET = 4096;

const refuseClient = (reason: string): never =>
  fail('oauth.invalid_client', undefined, { reason, headers: { 'WWW-Authenticate': 'Basic realm="identity"' } });

/** The id and the secret of an application credential, as RFC 6749 (2.3.1) encodes them. */
function readBasic(header: string | undefined): { readonly id: string; readonly secret: string } {
  const [, encoded] = /^Basic +([\w+/=-]+) *$/i.exec(header ?? '') ?? [];
  if (encoded === undefined) return refuseClient('no client authentication');
  const text = Buffer.from(encoded, 'base64').toString();
  const [id, secret] = [text.slice(0, Math.max(text.indexOf(':'), 0)), text.slice(text.indexOf(':') + 1)];
  const isPossible = id !== '' && id.length <= MAX_ID && secret !== '' && secret.length <= MAX_SECRET && !text.includes('\0');
  return isPossible ? { id, secret } : refuseClient('no client id or secret');
}

export function mountOauth2Token(app: IdentityApp, { auth }: { readonly auth: AuthRules }): void {
  app.post(
    '/v3/OS-OAUTH2/token',
    {
      id: 'getTokenOfProgram',
      summary: 'Get a token with an application credential, by OAuth2',
      description:
        'The id and the secret of the application credential are sent by HTTP Basic. The answer has a token of this service, as `POST /v3/auth/tokens` gives it.',
      tag,
      rule: 'anyone',
      access: APPLICATION_CREDENTIAL,
      body: TokenRequest,
      form: true,
      documentation: { error: OAuthError },
      reply: { 200: TokenOfProgram },
    },
    async ({ headers, body, address, requestId, signal }) => {
      const application_credential = readBasic(headers.authorization);
      if (body.grant_type === undefined) fail('request.bad_value', { field: 'grant_type', why: 'it is required' });
      if (body.grant_type !== 'client_credentials') fail('oauth.unsupported_grant_type');
      const identity = { methods: ['application_credential'], application_credential };
      const attempt = { address, requestId, signal };
      const outcome = await auth.logIn(identity, { kind: 'default' }, attempt, undefined).catch((error: unknown) => {
        if (error instanceof Fault && error.status === 401) return refuseClient(error.reason ?? error.code);
        throw error;
      });
      if (outcome.kind !== 'token') return refuseClient('more methods are required');
      const { text, record } = outcome;
      return {
        access_token: text,
        token_type: 'Bearer',
        expires_in: Math.floor((record.expiresAt - record.issuedAt) / 1000),
      };
    },
  );
}

t.name({ TokenOfProgramRequest: TokenRequest, TokenOfProgram });
