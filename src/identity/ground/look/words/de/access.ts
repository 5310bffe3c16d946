import type { Translation } from '../../../../../platform/languages/index.ts';
import type { PageTexts } from '../texts.ts';

export const access = {
  delegated: 'Was für Sie handeln kann',
  delegatedText:
    'Die Programme und Personen in dieser Liste können Ihr Konto ohne Ihr Passwort und ohne zweiten Faktor benutzen, auch nachdem Sie Ihr Passwort geändert haben. Beenden Sie alles, was Sie nicht kennen.',
  noDelegated: 'Nichts: Kein Programm und niemand sonst handelt für Sie.',
  delegatedKinds: {
    'application credential': 'Anwendungszugang',
    'EC2 key': 'EC2-Schlüssel',
    'key of codes': 'Schlüssel einer Authenticator-App, von einem Programm gespeichert',
    trust: 'Vollmacht',
    'OAuth1 token': 'Zugriff eines Programms (OAuth1)',
  },
  delegatedTo: (name) => `für ${name}`,
  inProject: (name) => `in ${name}`,
  madeAt: 'erstellt',
  endsAt: 'endet',
  end: 'Zugriff beenden',
  delegatedIsEnded: 'Beendet. Damit kann niemand mehr für Sie handeln.',
  moreTrusts:
    'Es gibt mehr Vollmachten, als hier gezeigt werden. Weitere erscheinen, sobald Sie diese beenden. Oder beenden Sie unten alles auf einmal.',
  delegatedStays: (count, hasMore = false) =>
    count === 1
      ? 'Ein Programm oder eine Person kann weiterhin ohne Ihr Passwort für Sie handeln.'
      : `${hasMore ? 'Mehr als ' : ''}${count} Programme oder Personen können weiterhin ohne Ihr Passwort für Sie handeln.`,
  seeDelegated: 'Ansehen, wer für Sie handeln kann, und den Zugriff beenden',
  otherWays: 'Andere Wege in Ihr Konto',
  otherWaysAre: {
    security: 'Passkeys, Konten bei anderen Anbietern, Passwort und zweiter Faktor',
    sessions: 'wo Sie angemeldet sind, und Geräte, auf denen kein Code verlangt wird',
    applications: 'Anwendungen mit Zugriff und Nachweise in Wallets',
  },
  endAll: 'Programme, Anwendungen und andere Sitzungen beenden',
  endAllText:
    'Für den Fall, dass jemand anderes in Ihrem Konto gewesen sein kann. Es beendet alles in der Liste oben, den Zugriff aller Anwendungen, alle anderen Sitzungen und alle gemerkten Geräte. Hier bleiben Sie angemeldet. Passkeys, andere Anbieter und Nachweise in Wallets bleiben bestehen: Prüfen Sie diese ebenfalls.',
  allIsEnded:
    'Programme, Anwendungen und andere Sitzungen sind beendet. Sie sind nur noch hier angemeldet. Prüfen Sie auch Ihre Passkeys, andere Anbieter und Nachweise in Wallets.',
} satisfies Translation<PageTexts>;
