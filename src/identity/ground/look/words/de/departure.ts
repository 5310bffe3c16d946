import type { Translation } from '../../../../../platform/languages/index.ts';
import type { PageTexts } from '../texts.ts';

export const departure = {
  personalData: 'Ihre Daten',
  personalDataText:
    'Eine Datei mit allem, was hier über Sie gespeichert ist: Profil, Mitgliedschaften, Sitzungen, Wege der Anmeldung und was mit Ihrem Konto geschehen ist. Passwörter und Schlüssel enthält sie nicht.',
  downloadData: 'Ihre Daten herunterladen',
  deleteAccount: 'Konto löschen',
  deleteAccountText: (days) =>
    days === 0
      ? 'Sie werden überall abgemeldet, und Ihr Konto wird mit allem gelöscht, was dazugehört.'
      : `Sie werden überall abgemeldet. Nach ${days === 1 ? 'einem Tag' : `${days} Tagen`} wird Ihr Konto mit allem gelöscht, was dazugehört. Bis dahin können Sie sich anmelden, um es zu behalten.`,
  typeUserName: (name) => `Geben Sie zur Bestätigung Ihren Benutzernamen ein: ${name}`,
  deletionRefused: {
    managed: 'Ihr Konto wird von einem anderen System verwaltet. Bitten Sie Ihre Administration, es zu löschen.',
    last_administrator:
      'Sie sind die letzte Person mit Administrationsrechten. Geben Sie diese Rechte jemand anderem, bevor Sie gehen.',
  },
  deletionWrongName: 'Das ist nicht Ihr Benutzername.',
  deletionPendingTitle: 'Ihr Konto wird gelöscht',
  deletionPendingText: 'Sie wurden überall abgemeldet. Ihr Konto wird gelöscht am',
  deletionPendingComeBack: 'Wenn Sie es sich anders überlegen, melden Sie sich vorher an.',
  deletionAtOnceTitle: 'Ihr Konto wird gerade gelöscht',
  deletionAtOnceText: 'Sie wurden überall abgemeldet. In wenigen Minuten ist von Ihrem Konto nichts mehr übrig.',
  accountIsPendingDeletion: 'Ihr Konto wird auf Ihren Wunsch gelöscht am',
  keepAccountTitle: 'Konto behalten?',
  keepAccountText: 'Sie können Ihr Konto mit allem behalten, was dazugehört. Sonst wird es zu diesem Zeitpunkt gelöscht.',
  keepAccount: 'Mein Konto behalten',
  letItGo: 'Mein Konto wie geplant löschen',
  accountKept: 'Ihr Konto bleibt',
  accountKeptText: 'Es wird nicht gelöscht. Melden Sie sich an, um es wieder zu benutzen.',
} satisfies Translation<PageTexts>;
