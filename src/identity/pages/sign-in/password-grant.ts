// The grant `password`, for consumers registered with it. Has the same steps as the browser, including the second factor.
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { Fault } from '../../../platform/faults/index.ts';
import { disconnectSignal } from '../../../platform/http/index.ts';
import { REQUEST_ID_HEADER } from '../../ground/resource/index.ts';
import { type OidcProviderLibrary, SCOPES } from '../../openid/provider/index.ts';
import type { Records } from '../../openid/records/index.ts';
import type { BrowserSignInResult, SignIn } from './sign-in.ts';

const PARAMETERS = ['username', 'password', 'domain', 'scope', 'verification_code', 'recovery_code'];

export function registerPasswordGrant(
  provider: Provider,
  { errors }: OidcProviderLibrary,
  signIn: SignIn,
  records: Records,
): void {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  /** The library's InvalidGrant hides its reason, but the client must know that a code is needed. */
  const refusal = (why: string) => new errors.CustomOIDCProviderError('invalid_grant', why);

  async function authenticate({ ip, oidc, res }: KoaContextWithOIDC): Promise<BrowserSignInResult> {
    const {
      username,
      password,
      domain,
      verification_code: code,
      recovery_code: recovery,
    } = oidc.params as Record<string, unknown>;
    const attempt = {
      address: ip,
      requestId: String(res.getHeader(REQUEST_ID_HEADER) ?? ''),
      signal: disconnectSignal(res),
      via: 'password grant',
    };
    const login = { name: text(username), domain: text(domain), password: text(password) };
    const step = await signIn.password(login, attempt, () => undefined);
    if (step.complete) return step;
    if (code) return signIn.code(step, text(code), attempt);
    return recovery ? signIn.recoveryCode(step, text(recovery), attempt) : step;
  }

  async function authenticateOrRefuse(ctx: KoaContextWithOIDC): Promise<BrowserSignInResult> {
    try {
      const step = await authenticate(ctx);
      if (step.complete) return step;
      const { newFactor } = await signIn.nextSteps(step);
      throw refusal(
        newFactor
          ? 'a second factor must be turned on first, at the sign-in page'
          : 'a second factor is needed: send verification_code or recovery_code',
      );
    } catch (error) {
      if (!(error instanceof Fault) || error.status >= 500) throw error;
      if (error.status === 429) throw new errors.CustomOIDCProviderError('slow_down', error.message);
      throw refusal(error.code === 'auth.required' ? 'user name, password or code is not right' : error.message);
    }
  }

  provider.registerGrantType(
    'password',
    async (ctx) => {
      const { client, params } = ctx.oidc;
      if (!client) throw new errors.InvalidClient('client must be available');
      const { userId, generation } = await authenticateOrRefuse(ctx);
      records.bind(userId, generation);
      await records.readLifetimes(userId);
      const requested = text((params as Record<string, unknown>).scope).split(' ');
      const allowed = client.scope?.split(' ') ?? SCOPES;
      const scope = SCOPES.filter((one) => requested.includes(one) && allowed.includes(one)).join(' ');
      const grant = new provider.Grant({ accountId: userId, clientId: client.clientId });
      if (scope !== '') grant.addOIDCScope(scope);
      const about = { accountId: userId, client, grantId: await grant.save(), gty: 'password', scope };
      const accessToken = new provider.AccessToken(about as never);
      const refreshToken = client.grantTypeAllowed('refresh_token') ? new provider.RefreshToken(about as never) : undefined;
      ctx.body = {
        access_token: await accessToken.save(),
        expires_in: accessToken.expiration,
        ...(refreshToken ? { refresh_token: await refreshToken.save() } : {}),
        ...(scope === '' ? {} : { scope }),
        token_type: 'Bearer',
      };
    },
    PARAMETERS,
  );
}
