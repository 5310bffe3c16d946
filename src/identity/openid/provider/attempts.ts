// Redirect addresses for those who try the sign-in of an application from the console. ADR 021.
import type { KoaContextWithOIDC } from 'oidc-provider';
import { attemptIdIn, attemptUri } from '../paths/index.ts';
import type { Records } from '../records/index.ts';
import type { OidcProviderLibrary } from './library.ts';

/** The model of its records. */
export const ATTEMPT = 'SignInAttempt';

/** What is asked for, by whom, for which application. */
interface AttemptUse {
  readonly id: string;
  readonly clientId: string;
  /** Who is signed in to this browser. */
  readonly accountId: string | undefined;
}

/** Whether there is such an attempt. It cannot be used again, whatever comes of it. */
async function useAttempt(records: Records, { id, clientId, accountId }: AttemptUse): Promise<boolean> {
  const found = accountId === undefined ? undefined : await records.find(ATTEMPT, id);
  if (!found || found.consumed !== undefined || found.clientId !== clientId || found.accountId !== accountId) return false;
  return records.consume(ATTEMPT, id);
}

/** The id of the attempt that an authorization request names. The code that it leads to must be bound to the page that asks (PKCE). */
function attemptOf({ oidc }: KoaContextWithOIDC, issuer: string, clientId: string): string | undefined {
  const { route, params } = oidc ?? {};
  const { redirect_uri: uri, client_id: asked, code_challenge_method: method } = params ?? {};
  if (route !== 'authorization' || typeof uri !== 'string' || asked !== clientId || method !== 'S256') return undefined;
  return attemptIdIn(issuer, uri);
}

/** The redirect address of an attempt, if this request is the one that may use it. The library asks for a client more than once in a request. */
export function createAttemptUris(
  { records, issuer }: { readonly records: Records; issuer(): string },
  library: OidcProviderLibrary,
) {
  const uses = new WeakMap<KoaContextWithOIDC, Promise<boolean>>();
  return async (clientId: string): Promise<string | undefined> => {
    const { ctx } = library.default;
    const id = ctx && attemptOf(ctx, issuer(), clientId);
    if (id === undefined) return undefined;
    const use = uses.get(ctx!) ?? useAttempt(records, { id, clientId, accountId: ctx!.oidc.session?.accountId });
    uses.set(ctx!, use);
    return (await use) ? attemptUri(issuer(), id) : undefined;
  };
}
