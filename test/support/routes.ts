// The routes of the services, without running any handler.
import { allNouns } from '../../src/identity/nouns.ts';
import { type IdentityRouteDeps, mountIdentity } from '../../src/identity/routes.ts';
import { createApp, type Route } from '../../src/platform/http/index.ts';
import { mountWallet, type WalletRouteDeps } from '../../src/wallet/routes.ts';

export function identityRoutes(): readonly Route<never>[] {
  const app = createApp<never>();
  mountIdentity(app as never, {} as IdentityRouteDeps);
  return app.routes as readonly Route<never>[];
}

export function walletRoutes(): readonly Route<never>[] {
  const app = createApp<never>();
  mountWallet(app as never, {} as WalletRouteDeps);
  return app.routes as readonly Route<never>[];
}

const BASE = [
  'Tokens',
  'Domains',
  'Projects',
  'Users',
  'Locks',
  'Groups',
  'Roles',
  'Grants',
  'Role assignments',
  'Domain configuration',
  'Limits',
  // Of federation, the service providers are all that is a noun.
  ...allNouns.map(({ tag }) => tag).filter((tag) => tag !== 'Federation'),
];

/** Keystone's own API, without our extensions. */
export const isBase = ({ spec }: Route<never>): boolean => BASE.includes(spec.tag);

export const nameOfRoute = ({ method, path }: Route<never>): string => `${method} ${path}`;
export const isChange = ({ method }: Route<never>): boolean => method !== 'GET' && method !== 'HEAD';

/** Needs no token. */
export const isOpen = ({ spec }: Route<never>): boolean => spec.rule === 'anyone';
