// The screens of the wallet and their addresses.
import type { ScreenEntry } from '../shared/frame.ts';
import type { Route } from '../shared/router.ts';
import { words } from './words/index.ts';

const screen = (path: string, element: string, load: () => Promise<unknown>): Route<ScreenEntry> => ({
  path,
  screen: { element, load },
});

export const routes: readonly Route<ScreenEntry>[] = [
  screen('/', 'gw-credentials', () => import('./credentials/credentials.ts')),
  screen('/credentials/:id', 'gw-credential', () => import('./credentials/credential.ts')),
  screen('/receive', 'gw-open', () => import('./open/open.ts')),
  screen('/open', 'gw-open-link', () => import('./open/open-link.ts')),
  screen('/receive/:id', 'gw-offer', () => import('./receive/offer.ts')),
  screen('/share/:id', 'gw-share', () => import('./share/share.ts')),
  screen('/history', 'gw-history', () => import('./history/history.ts')),
  screen('/history/:id', 'gw-exchange', () => import('./history/exchange.ts')),
  screen('/keys', 'gw-keys', () => import('./keys/keys.ts')),
  screen('/identifiers', 'gw-identifiers', () => import('./identifiers/identifiers.ts')),
  screen('/identifiers/:id', 'gw-identifier', () => import('./identifiers/identifier.ts')),
  screen('/node', 'gw-node', () => import('./node/node.ts')),
];

export interface MenuEntry {
  readonly path: string;
  readonly label: () => string;
  /** Screens that are reached from it. */
  readonly others?: readonly string[];
}

export const menu: readonly MenuEntry[] = [
  { path: '/', label: () => words.credentials.title },
  { path: '/receive', label: () => words.open.title },
  { path: '/history', label: () => words.history.title },
  { path: '/keys', label: () => words.experts.title, others: ['/identifiers', '/node'] },
];
