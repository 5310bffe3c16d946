import type { Translation } from '../../../../../platform/languages/index.ts';
import type { PageTexts } from '../texts.ts';

export const otherProviders = {
  providerOr: 'oder',
  providerContinue: (provider) => `Weiter mit ${provider}`,
  providerByEmail: 'Mit dem Konto meiner Organisation anmelden',
  providerEmailText: 'Geben Sie Ihre E-Mail-Adresse bei Ihrer Organisation ein. Dort melden Sie sich an.',
  providerNoneForEmail:
    'Für diese E-Mail-Adresse ist keine Organisation eingerichtet. Prüfen Sie die Adresse, oder melden Sie sich anders an.',
  providerFailedTitle: 'Sie sind nicht angemeldet',
  providerUnavailable: (provider) =>
    `${provider} antwortet gerade nicht. Versuchen Sie es später erneut, oder melden Sie sich anders an.`,
  providerDenied: (provider) => `Bei ${provider} wurden Sie nicht angemeldet.`,
  providerRefused: (provider) => `Die Antwort von ${provider} ist nicht verwendbar.`,
  providerAccountRefused: 'Das Konto kann nicht benutzt werden.',
  providerRefusals: {
    settings_changed: 'Die Einstellungen dieser Anmeldung wurden gerade geändert. Versuchen Sie es erneut.',
    mapping_refused: 'Nach den Regeln dieses Dienstes haben Sie keinen Zugang. Fragen Sie Ihre Administration.',
    account_deleted: 'Ihr Konto hier wurde gelöscht.',
    other_domain: 'Diese Anmeldung ist nicht für die Domäne des Kontos.',
    other_account: 'Jenes Konto ist hier schon mit einem anderen Konto verbunden.',
    no_account: 'Mit dem Konto, mit dem Sie sich angemeldet haben, ist hier kein Konto verbunden.',
    no_name: 'Der Anbieter hat nicht gesendet, was ein Konto braucht. Fragen Sie Ihre Administration.',
    signed_out: 'Sie wurden beim Anbieter inzwischen abgemeldet. Melden Sie sich erneut an.',
    credential_ended: 'Der gezeigte Nachweis ist nicht mehr gültig. Zeigen Sie einen anderen.',
    time_unknown:
      'Sie müssen sich vor Kurzem angemeldet haben, und der Anbieter sagt nicht, wann das war. Melden Sie sich anders an, oder fragen Sie Ihre Administration.',
  },
  providerNeedsPasskey: 'Dieses Konto braucht einen Passkey. Melden Sie sich mit dem Passwort an, um einen hinzuzufügen.',
  providerBack: 'Zurück zur Anmeldung',
  providerFirstTitle: 'Zum ersten Mal hier',
  providerFirstText: (provider, label) => `Sie sind bei ${provider} als ${label} angemeldet. Haben Sie hier schon ein Konto?`,
  providerHaveAccount: 'Ich habe ein Konto: anmelden und verbinden',
  providerNewAccount: 'Ein neues Konto anlegen',
  providerProveText: (provider) => `Melden Sie sich einmal hier an Ihrem Konto an. Von da an kommen Sie mit ${provider} hinein.`,
  providerAccounts: 'Konten bei anderen Anbietern',
  providerNoAccounts: 'Keine. Sie können eines verbinden, wenn Sie sich damit anmelden.',
  providerConnected: 'verbunden',
  providerDisconnect: 'Trennen',
  providerIsDisconnected: 'Das Konto ist getrennt.',
} satisfies Translation<PageTexts>;
