// The screens of the wallet and their addresses.
import type { ScreenEntry } from '../shared/frame.ts';
import type { Icon } from '../shared/icons.ts';
import type { Route } from '../shared/router.ts';
import { words } from './words/index.ts';

/** `guide`: the page of docs/guide about it. */
const screen = (path: string, element: string, load: () => Promise<unknown>, guide: string): Route<ScreenEntry> => ({
  path,
  screen: { element, load, guide },
});

export const routes: readonly Route<ScreenEntry>[] = [
  screen('/', 'gw-credentials', () => import('./credentials/credentials.ts'), 'credentials'),
  screen('/credentials/:id', 'gw-credential', () => import('./credentials/credential.ts'), 'credentials'),
  screen('/receive', 'gw-open', () => import('./open/open.ts'), 'credentials'),
  screen('/open', 'gw-open-link', () => import('./open/open-link.ts'), 'credentials'),
  screen('/receive/:id', 'gw-offer', () => import('./receive/offer.ts'), 'credentials'),
  screen('/share/:id', 'gw-share', () => import('./share/share.ts'), 'credentials'),
  screen('/history', 'gw-history', () => import('./history/history.ts'), 'credentials'),
  screen('/history/:id', 'gw-exchange', () => import('./history/exchange.ts'), 'credentials'),
  screen('/keys', 'gw-keys', () => import('./keys/keys.ts'), 'wallet'),
  screen('/identifiers', 'gw-identifiers', () => import('./identifiers/identifiers.ts'), 'wallet'),
  screen('/identifiers/:id', 'gw-identifier', () => import('./identifiers/identifier.ts'), 'wallet'),
  screen('/node', 'gw-node', () => import('./node/node.ts'), 'wallet'),
];

export interface MenuEntry {
  readonly path: string;
  readonly icon: Icon;
  readonly label: () => string;
  /** Screens that are reached from it. */
  readonly others?: readonly string[];
}

export const menu: readonly MenuEntry[] = [
  { path: '/', icon: 'card', label: () => words.credentials.title },
  { path: '/receive', icon: 'exchange', label: () => words.open.title },
  { path: '/history', icon: 'list', label: () => words.history.title },
  { path: '/keys', icon: 'key', label: () => words.experts.title, others: ['/identifiers', '/node'] },
];
