import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

export const selfRegistration = {
  title: 'Selbst registriert',
  text: 'Diese Anwendungen kennt hier niemand, und ihre Namen können falsch sein. Personen werden jedes Mal gefragt. Was niemand benutzt, wird gelöscht. Wer sich registrieren darf, steht in den Einstellungen des Dienstes und jeder Domäne.',
  name: 'Name',
  places: 'Schickt Personen zu',
  how: 'Wie',
  origins: { token: 'mit einem Token', open: 'ohne Token', document: 'durch ein Dokument' },
  withToken: (name) => `mit dem Token ${name}`,
  domain: 'Domäne',
  everyDomain: 'jede Domäne, die es erlaubt',
  since: 'Seit',
  ends: 'Endet',
  kept: 'behalten',
  keep: 'Behalten',
  keepTitle: (name) => `Die Anwendung ${name} behalten`,
  keepText:
    'Sie stehen für sie ein: Sie endet nicht mehr, und wer sie registriert hat, kann sie nicht mehr ändern. Sehen Sie vorher nach, wohin sie Personen schickt.',
  isKept: (name) => `${name} wurde behalten.`,
  removeTitle: (name) => `Die Anwendung ${name} entfernen`,
  removeText:
    'Alles, was Personen ihr erlaubt haben, endet, auch ihre Tokens. Solange sie darf, kann sie sich wieder registrieren.',
  empty:
    'Keine Anwendung hat sich selbst registriert. Erstellen Sie ein Token für eine, oder erlauben Sie es in den Einstellungen des Dienstes oder einer Domäne.',
  tokens: 'Tokens',
  tokensText: 'Mit einem Token registriert sich ein Programm in einer Domäne. Geben Sie es denen, die das Programm einrichten.',
  token: 'Token',
  newToken: 'Neues Token',
  newTokenText: 'Anwendungen, die sich damit registrieren, sind für die Personen seiner Domäne.',
  uses: 'Wie viele Anwendungen sich damit registrieren dürfen',
  usesHint: (most) => `Höchstens ${most}.`,
  usesLeft: 'Übrig',
  lifetime: 'Es gilt für',
  lifetimes: { 3600: 'eine Stunde', 86400: 'einen Tag', 604800: 'eine Woche', 2592000: '30 Tage' },
  lastUsed: 'Zuletzt benutzt',
  never: 'nie',
  end: 'Beenden',
  endTitle: (name) => `Das Token ${name} beenden`,
  endText: 'Damit registriert sich nichts mehr. Anwendungen, die es getan haben, bleiben.',
  noTokens: 'Noch gibt es kein Token. Erstellen Sie eines für ein Programm, das sich registrieren soll.',
} satisfies Translation<Words['selfRegistration']>;
