import type { Translation } from '../../../../../platform/languages/index.ts';
import type { PageTexts } from '../texts.ts';

export const invitation = {
  invitationTitle: (organization) => `Sie sind zu ${organization} eingeladen`,
  invitationBy: (inviter, organization) => `${inviter} lädt Sie zu ${organization} ein.`,
  invitationText: (organization) => `Sie sind zu ${organization} eingeladen.`,
  invitationAddress: (address) => `Die Einladung wurde an ${address} gesendet.`,
  invitationNew: 'Wählen Sie einen Benutzernamen und ein Passwort, um Ihr Konto anzulegen.',
  invitationPassword: 'Passwort',
  invitationPasswordAgain: 'Passwort wiederholen',
  invitationCreate: 'Konto anlegen und annehmen',
  invitationKnown: 'Es gibt ein Konto mit dieser Adresse. Melden Sie sich damit an, um anzunehmen.',
  invitationMaybeKnown: 'Haben Sie schon ein Konto mit dieser Adresse?',
  invitationSignIn: 'Anmelden und annehmen',
  invitationAs: (name) => `Sie sind als ${name} angemeldet.`,
  invitationOtherAccount: 'Dieses Konto hat eine andere Adresse und kann die Einladung deshalb nicht annehmen.',
  invitationAccept: 'Annehmen',
  invitationElse: 'Ein anderes Konto benutzen',
  invitationEndedTitle: 'Dieser Link gilt nicht mehr',
  invitationEndedText:
    'Er ist abgelaufen oder wurde benutzt, ersetzt oder zurückgezogen. Wenn Sie noch beitreten möchten, bitten Sie um eine neue Einladung.',
  invitationVoidText: 'Wer Sie eingeladen hat, darf das nicht mehr. Bitten Sie jemand anderen um eine Einladung.',
  invitationDoneTitle: 'Willkommen',
  invitationNewDone: (name) => `Ihr Konto wurde angelegt. Ihr Benutzername ist ${name}.`,
  invitationDone: (organization) => `Sie haben die Einladung zu ${organization} angenommen.`,
  invitationToAccount: 'Zu Ihrem Konto',
  invitationNameTaken: 'Dieser Benutzername ist vergeben oder einem vergebenen zu ähnlich. Wählen Sie einen anderen.',
  invitationBadName: 'Das kann kein Benutzername sein. Wählen Sie einen anderen, aus Buchstaben und Ziffern.',
  invitationNameIsAddress: 'Ein Benutzername mit @ muss die Adresse der Einladung sein. Wählen Sie einen anderen.',
} satisfies Translation<PageTexts>;
