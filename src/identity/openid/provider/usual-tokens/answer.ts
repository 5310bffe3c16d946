// POST /openid/token as nearly all applications send it: with a secret, for a code, a refresh token or themselves. Answered as the library would, in two
// round trips to the database and without the library's two dozen steps. What is unusual in a request, an application or what was authorized, and every
// refusal, is left to the library; usual-tokens.security.test.ts sends both the same requests.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { outageOf, readBody } from '../../../../platform/http/index.ts';
import type { Log } from '../../../../platform/log/index.ts';
import { type Algorithm, signJws, signWith } from '../../../../verifiable/jose/index.ts';
import type { WalletProviders } from '../../../applications/wallet-providers/index.ts';
import { testPoint } from '../../../ground/test-points.ts';
import { withBody } from '../../client-authentication/index.ts';
import type { Keyring } from '../keys.ts';
import { type Client, createUsualClients, type UsualClientDeps } from './clients.ts';
import { byClientCredentials, byCode, byRefreshToken, epoch, type GrantDeps, type Prepared, type Source } from './grants.ts';
import { credentialsIn, isUsual, MAX_LENGTH, type Parameters, parametersOf } from './request.ts';

export interface UsualTokensDeps extends GrantDeps, UsualClientDeps {
  readonly log: Pick<Log, 'error'>;
  readonly walletProviders: Pick<WalletProviders, 'isKnown'>;
  /** Counted here, by grant types. */
  readonly grants: { readonly good: Record<string, number>; readonly refused: Record<string, number> };
  issuer(): string;
  alreadyUsedError(): Refusal;
}

/** As the library has it. */
interface Refusal {
  readonly statusCode: number;
  readonly message: string;
  readonly error_description?: string | undefined;
}

const ID_TOKEN_SECONDS = 3600;

/** Where what is used up for tokens comes from. */
const SOURCES: Readonly<Record<string, { readonly model: Source; readonly parameter: 'code' | 'refresh_token' }>> = {
  authorization_code: { model: 'AuthorizationCode', parameter: 'code' },
  refresh_token: { model: 'RefreshToken', parameter: 'refresh_token' },
};

const count = (counts: Record<string, number>, grant: string): void => {
  counts[grant] = (counts[grant] ?? 0) + 1;
};

/** Answers a request, or returns it for the library, which can read its body again. */
export type AnswerUsual = (request: IncomingMessage, response: ServerResponse) => Promise<IncomingMessage | undefined>;

export function createUsualTokens(provider: Provider, keys: Keyring, deps: UsualTokensDeps): AnswerUsual {
  const clientOf = createUsualClients(provider, deps);
  const opened = new Map<string, KeyObject>();

  async function signed({ idTokenSignedResponseAlg: alg = '' }: Client, claims: Prepared['claims']): Promise<string> {
    const jwk = keys.signing.find((one) => one.alg === alg)!;
    const key = opened.get(alg) ?? createPrivateKey({ key: jwk as never, format: 'jwk' });
    opened.set(alg, key);
    const now = epoch();
    return signJws({ alg, kid: jwk.kid }, { ...claims, exp: now + ID_TOKEN_SECONDS, iat: now, iss: deps.issuer() }, (data) =>
      signWith(key, alg as Algorithm, data),
    );
  }

  async function prepare(authorization: string | undefined, sent: Parameters): Promise<[Client, Prepared] | undefined> {
    const { grant_type: grant = '' } = sent;
    const credentials = credentialsIn(authorization, sent);
    const source = SOURCES[grant];
    const value = source && sent[source.parameter];
    if (!credentials || (source ? value === undefined : grant !== 'client_credentials')) return undefined;
    const [client, found] = await Promise.all([
      clientOf(credentials.id, credentials.secret),
      source && deps.records.find(source.model, value!),
    ]);
    if (!client?.grantTypeAllowed(grant)) return undefined;
    const prepared =
      grant === 'authorization_code'
        ? await byCode(deps, client, sent, found)
        : grant === 'refresh_token'
          ? await byRefreshToken(deps, client, found)
          : await byClientCredentials(deps, client);
    return prepared && [client, prepared];
  }

  function send(response: ServerResponse, status: number, body: object): void {
    const text = JSON.stringify(body);
    response
      .writeHead(status, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(text),
        Vary: 'Origin',
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers': deps.walletProviders.isKnown
          ? 'DPoP-Nonce,OAuth-Client-Attestation-Challenge,WWW-Authenticate'
          : 'WWW-Authenticate',
      })
      .end(text);
  }

  /** As the library answers what went wrong here. */
  function sendFailure(response: ServerResponse, error: unknown): void {
    deps.log.error({ err: error }, 'openid provider failed');
    const outage = outageOf(error);
    if (outage) for (const [name, value] of Object.entries(outage.headers)) response.setHeader(name, value as string);
    if (outage) send(response, outage.status, { error: 'temporarily_unavailable', error_description: outage.message });
    else send(response, 500, { error: 'server_error', error_description: 'oops! something went wrong' });
  }

  /** False, and nothing is stored, if the library has to say what became of the person or the application. */
  async function issue(
    response: ServerResponse,
    grant: string,
    client: Client,
    { tokens, claims, answer }: Prepared,
  ): Promise<boolean> {
    await testPoint('usual-tokens.before-issue');
    const [issued, idToken] = await Promise.all([deps.records.issue(tokens), claims && signed(client, claims)]);
    if (issued === 'gone') return false;
    if (issued === 'issued') {
      count(deps.grants.good, grant);
      send(response, 200, { ...answer, ...(idToken === undefined ? {} : { id_token: idToken }) });
      return true;
    }
    count(deps.grants.refused, grant);
    const { statusCode, message, error_description: description } = deps.alreadyUsedError();
    send(response, statusCode, { error: message, error_description: description });
    return true;
  }

  return async (request, response) => {
    if (!isUsual(request.headers) || request.headers.accept?.includes('html')) return request;
    const text = (await readBody(request, MAX_LENGTH)).toString();
    const sent = parametersOf(text);
    try {
      const prepared = sent && (await prepare(request.headers.authorization, sent));
      if (prepared && (await issue(response, sent.grant_type!, ...prepared))) return undefined;
    } catch (error) {
      sendFailure(response, error);
      return undefined;
    }
    return withBody(request, text);
  };
}
