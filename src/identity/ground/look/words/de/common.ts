import type { Translation } from '../../../../../platform/languages/index.ts';
import { durationText } from '../duration.ts';
import type { PageTexts } from '../texts.ts';

export const common = {
  cancel: 'Abbrechen',
  continueLabel: 'Weiter',
  done: 'Erledigt.',
  tooMany: (seconds) => `Zu viele Versuche. Warten Sie ${durationText('de', seconds)} und versuchen Sie es dann erneut.`,
  busy: 'Der Dienst ist ausgelastet. Versuchen Sie es gleich noch einmal.',
  tooLate: 'Das hat zu lange gedauert. Melden Sie sich erneut an.',
  errorTitle: 'Das hat nicht geklappt',
  errorText:
    'Die Anwendung hat eine Anfrage gesendet, die nicht beantwortet werden kann. Gehen Sie zurück und versuchen Sie es erneut.',
  formText: 'Was der Browser gesendet hat, kann nicht verarbeitet werden. Gehen Sie zurück und versuchen Sie es erneut.',
  noPageTitle: 'Diese Seite gibt es nicht',
  noPageText: 'Vielleicht ist die Adresse falsch geschrieben, oder die Seite wurde entfernt.',
  refusedTitle: 'Das ist nicht erlaubt',
  refusedText: 'Vielleicht ist die Seite veraltet. Gehen Sie zurück, laden Sie sie neu und versuchen Sie es noch einmal.',
  tooManyTitle: 'Zu viele Versuche',
  outageTitle: 'Der Dienst kann gerade nicht antworten',
  outageText: 'Versuchen Sie es gleich noch einmal. Es wurde nichts geändert.',
  failureTitle: 'Etwas ist schiefgegangen',
  failureText: 'Der Fehler liegt bei uns. Versuchen Sie es erneut; wenn er bleibt, nennen Sie Ihrer Administration diese Nummer:',
  failureRetry: 'Der Fehler liegt bei uns. Versuchen Sie es gleich noch einmal.',
  forDevelopers: 'Für die Entwickler der Anwendung',
  accountLink: 'Ihr Konto',
  footerLinks: { help: 'Hilfe', terms: 'Nutzungsbedingungen', privacy: 'Datenschutz' },
  homeTitle: 'Willkommen',
  homeAccount: 'Ihr Profil, Passwort, zweiter Faktor, Ihre Passkeys und Sitzungen.',
  homeGuideLink: 'Anleitung',
  homeGuide: 'Wie alles geht, Schritt für Schritt. Auf Englisch.',
  homeApiLink: 'API',
  homeApi: 'Für Entwickler: alle Operationen, mit Beispielen.',
  homeWalletLink: 'Wallet',
  homeWallet: 'Nachweise, Schlüssel und Kennungen.',
  homeConsoleLink: 'Konsole',
  homeConsole:
    'Für die Administration und für Eigentümer von Anwendungen: Personen, Organisationen, Anwendungen und ihre Rollen.',
  needsScripts:
    'Diese Seite braucht JavaScript. Schalten Sie es in den Einstellungen Ihres Browsers ein und laden Sie die Seite neu.',
  languageLabel: 'Sprache',
  expiredTitle: 'Diese Seite ist abgelaufen',
  expiredText: 'Gehen Sie zurück zur Anwendung und melden Sie sich von dort erneut an.',
} satisfies Translation<PageTexts>;
