// Claims, and the tokens that contain them.
import type { Account, Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { Access } from '../../../access/index.ts';
import { type Accounts, CLAIMS, SCOPES } from '../accounts.ts';

/** Whether the ID token contains claims: if the client is registered with `id_token_claims`, or its access token is for another resource. */
const wantsClaims = ({ oidc }: KoaContextWithOIDC): boolean =>
  oidc.client?.['id_token_claims'] === true || Boolean(oidc.entities.AccessToken?.aud);

async function findAccount(
  { access, accounts }: { access: Access; accounts: Accounts },
  ctx: KoaContextWithOIDC,
  sub: string,
): Promise<Account | undefined> {
  // A disabled user, or a user of a disabled domain, has no account.
  const authContext = await access.read(sub, { kind: 'unscoped' });
  const user = authContext && (await accounts.find(sub));
  if (!user) return undefined;
  return {
    accountId: sub,
    claims: async (use, scope) => {
      if (use === 'id_token' && !wantsClaims(ctx)) return { sub };
      const { sub: _, ...claims } = await accounts.claims(user, ctx.oidc.client?.clientId ?? '', new Set(scope.split(' ')));
      return { sub, ...claims };
    },
  };
}

export const claimsOf = (deps: { access: Access; accounts: Accounts }) =>
  ({
    claims: Object.fromEntries(Object.entries(CLAIMS).map(([scope, names]) => [scope, [...names]])),
    scopes: SCOPES,
    // findAccount decides this for each client.
    conformIdTokenClaims: false,
    findAccount: (ctx, sub) => findAccount(deps, ctx, sub),
  }) satisfies Configuration;
