// Login and logout through the provider.
import type { LoginDeps } from './deps.ts';
import { beginLogin, finishLogin, type LoginOptions } from './login.ts';
import { logOut, logOutByProvider } from './logout.ts';
import type { Session } from './session.ts';

export function createLogins({ publicUrl, ...rest }: Omit<LoginDeps, 'origin'> & { publicUrl(): string }) {
  const deps: LoginDeps = { ...rest, origin: () => new URL(publicUrl()).origin };
  return {
    origin: deps.origin,
    begin: (options: LoginOptions) => beginLogin(deps, options),
    finish: (returned: URLSearchParams, cookies: Parameters<typeof finishLogin>[2]) => finishLogin(deps, returned, cookies),
    end: (session: Session | undefined, returnTo: string | undefined) => logOut(deps, session, returnTo),
    endByProvider: (token: string) => logOutByProvider(deps, token),
  };
}

export type WalletLogins = ReturnType<typeof createLogins>;
