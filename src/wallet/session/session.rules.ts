// Login and logout through the provider.
import type { IncomingHttpHeaders } from 'node:http';
import { Fault } from '../../platform/faults/index.ts';
import { beginLogin, finishLogin, type LoginOptions } from './login.ts';
import type { LoginDeps } from './login-deps.ts';
import { logOut, logOutByProvider } from './logout.ts';
import type { Session } from './session.ts';

const OUTCOMES: Readonly<Record<string, string>> = {
  'login-refused': 'refused',
  'login-state-mismatch': 'unfitting',
  'identity-provider-unavailable': 'unavailable',
};

export function createLogins({ publicUrl, ...rest }: Omit<LoginDeps, 'origin'> & { publicUrl(): string }) {
  const deps: LoginDeps = { ...rest, origin: () => new URL(publicUrl()).origin };
  const counts: Record<string, number> = {};
  const count = (outcome: string): void => {
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  };
  return {
    /** Logins that came back, by how they ended. */
    counts,
    origin: deps.origin,
    begin: (options: LoginOptions, headers: IncomingHttpHeaders) => beginLogin(deps, options, headers),
    async finish(returned: URLSearchParams, cookies: Parameters<typeof finishLogin>[2]): ReturnType<typeof finishLogin> {
      try {
        const finished = await finishLogin(deps, returned, cookies);
        count('good');
        return finished;
      } catch (error) {
        count(error instanceof Fault ? (OUTCOMES[error.code] ?? 'error') : 'error');
        throw error;
      }
    },
    end: (session: Session | undefined, returnTo: string | undefined) => logOut(deps, session, returnTo),
    endByProvider: (token: string) => logOutByProvider(deps, token),
  };
}

export type WalletLogins = ReturnType<typeof createLogins>;
