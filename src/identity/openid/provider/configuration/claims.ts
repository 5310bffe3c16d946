// What is said of a person, and in which token.
import type { Account, Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { Access } from '../../../access/index.ts';
import { type Accounts, CLAIMS, SCOPES } from '../accounts.ts';

/** In the ID token, for those that asked for it when they were registered; or whose access token is not for asking us. */
const wantsClaims = ({ oidc }: KoaContextWithOIDC): boolean =>
  oidc.client?.['id_token_claims'] === true || Boolean(oidc.entities.AccessToken?.aud);

async function findAccount(
  { access, accounts }: { access: Access; accounts: Accounts },
  ctx: KoaContextWithOIDC,
  sub: string,
): Promise<Account | undefined> {
  // Disabled, or of a disabled domain: as if there were none.
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
    // Who gets them there is decided for each client, see findAccount.
    conformIdTokenClaims: false,
    findAccount: (ctx, sub) => findAccount(deps, ctx, sub),
  }) satisfies Configuration;
