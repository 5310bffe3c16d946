// Claims, and the tokens that contain them.
import type { Account, Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { type Access, authContextKey } from '../../../access/context/index.ts';
import type { ClientRegistration } from '../../../applications/client-registration/index.ts';
import type { Federation } from '../../../login/federation/index.ts';
import type { Records } from '../../records/index.ts';
import { type Accounts, CLAIMS, SCOPES } from '../accounts.ts';
import { FEDERATED } from '../acr.ts';
import { isShutOut } from '../shut-out.ts';
import { accountOfRequest } from './ciba.ts';

/** Whether the ID token contains claims: if the client is registered with `id_token_claims`, or its access token is for another resource. */
const wantsClaims = ({ oidc }: KoaContextWithOIDC): boolean =>
  oidc.client?.['id_token_claims'] === true || Boolean(oidc.entities.AccessToken?.aud);

interface AccountDeps {
  readonly access: Access;
  readonly records: Pick<Records, 'generationOf'>;
}

export interface ClaimsDeps extends AccountDeps {
  readonly accounts: Accounts;
  readonly providerSessions: Pick<Federation['sessions'], 'confirm'>;
  readonly records: Pick<Records, 'consumerOf' | 'generationOf'>;
  readonly clientRegistration: Pick<ClientRegistration, 'refusal'>;
}

/** What a token was issued for: a session through another provider, perhaps. */
interface UsedToken {
  readonly kind?: string;
  readonly amr?: readonly string[];
  readonly sessionUid?: string;
  readonly scope?: string;
}

/** Whether another provider, through which the session began, says that the person is gone. It is asked when a refresh token is used. */
async function isGone({ providerSessions }: ClaimsDeps, { kind, amr, sessionUid }: UsedToken): Promise<boolean> {
  if (kind !== 'RefreshToken' || !amr?.includes(FEDERATED)) return false;
  return sessionUid === undefined || !(await providerSessions.confirm(sessionUid));
}

/** Asked whenever a token is used, also for what is said of the person: nobody waits until an access token ends. */
async function isOfStrangerShutOut(
  { records, clientRegistration }: ClaimsDeps,
  { oidc }: KoaContextWithOIDC,
  accountId: string,
  { scope }: UsedToken,
): Promise<boolean> {
  const consumer = oidc.client && records.consumerOf(oidc.client.clientId);
  return consumer !== undefined && isShutOut(clientRegistration, consumer, { accountId, scope });
}

const UNSCOPED = { kind: 'unscoped' } as const;

/** Known from memory, in the state in which this request has read the person from the database, with their token: whatever ends access changes that. */
const isKnown = ({ access, records }: AccountDeps, sub: string): boolean =>
  access.cached(authContextKey(sub, UNSCOPED))?.userGeneration === (records.generationOf(sub) ?? Number.NaN);

/** Of a token that the request has read. A disabled user, or a user of a disabled domain, has no account. */
export const hasAccount = async (deps: AccountDeps, sub: string): Promise<boolean> =>
  isKnown(deps, sub) || (await deps.access.read(sub, UNSCOPED)) !== undefined;

async function findAccount(
  deps: ClaimsDeps,
  ctx: KoaContextWithOIDC,
  sub: string,
  token: UsedToken | undefined,
): Promise<Account | undefined> {
  const { access, accounts } = deps;
  const unknown = accountOfRequest(ctx.oidc);
  if (unknown) return unknown;
  if (token && ((await isGone(deps, token)) || (await isOfStrangerShutOut(deps, ctx, sub, token)))) return undefined;
  if (!(token ? await hasAccount(deps, sub) : await access.read(sub, UNSCOPED))) return undefined;
  return {
    accountId: sub,
    claims: async (use, scope, requested) => {
      // Those that the parameter `claims` names for it.
      const named = Object.keys(requested ?? {});
      const isWhole = use !== 'id_token' || wantsClaims(ctx);
      if (!isWhole && named.length === 0) return { sub };
      const user = await accounts.find(sub);
      if (!user) return { sub };
      const scopes = new Set(scope.split(' '));
      const { sub: _, ...claims } = await accounts.claims(user, ctx.oidc.client?.clientId ?? '', scopes, named);
      if (isWhole) return { sub, ...claims };
      return { sub, ...Object.fromEntries(Object.entries(claims).filter(([name]) => named.includes(name))) };
    },
  };
}

export const claimsOf = (deps: ClaimsDeps) =>
  ({
    claims: Object.fromEntries(Object.entries(CLAIMS).map(([scope, names]) => [scope, [...names]])),
    scopes: [...SCOPES],
    // findAccount decides this for each client.
    conformIdTokenClaims: false,
    findAccount: (ctx, sub, token) => findAccount(deps, ctx, sub, token as UsedToken | undefined),
  }) satisfies Configuration;
