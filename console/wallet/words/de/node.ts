import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

export const node = {
  title: 'Der Knoten',
  text: 'Die Kennung und die Schlüssel dieses Wallet-Knotens selbst. Sie sehen sie, weil Sie ihn verwalten.',
  did: 'Kennung des Knotens',
  version: (version) => `Version ${version}`,
} satisfies Translation<Words['node']>;
