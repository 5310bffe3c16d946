import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

export const peers = {
  verified: 'Geprüft',
  notVerified: 'Name nicht geprüft',
  addressOnly: 'Nur durch die Adresse bekannt',
  name: 'Name:',
  callsItself: 'Nennt sich',
} satisfies Translation<Words['peers']>;
