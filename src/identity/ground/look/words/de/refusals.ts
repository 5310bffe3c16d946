import type { Translation } from '../../../../../platform/languages/index.ts';
import type { PageTexts } from '../texts.ts';

export const refusals = {
  notPossible: 'Das hat nicht geklappt. Laden Sie die Seite neu und versuchen Sie es noch einmal.',
  notAllowed: 'Das dürfen Sie nicht.',
  badValue: 'Etwas von Ihrer Eingabe kann hier nicht verwendet werden. Prüfen Sie sie und versuchen Sie es erneut.',
  badLength: 'Das Passwort muss mindestens ein Zeichen und höchstens 4096 Zeichen haben.',
  isGone: 'Das gibt es nicht mehr. Laden Sie die Seite neu.',
  accountIsGone: 'Das Konto kann nicht mehr benutzt werden.',
  domainIsGone: 'Die Domäne des Kontos kann nicht mehr benutzt werden.',
  nameOrAddressTaken: 'Ein anderes Konto hat schon diesen Namen oder diese Adresse.',
  emailHasChanged: 'Die E-Mail-Adresse des Kontos wurde inzwischen geändert. Fordern Sie einen neuen Link an.',
  tooLarge: 'Was der Browser gesendet hat, ist zu groß.',
  passwordPattern: 'Dieses Passwort hat nicht die Form, die hier verlangt wird.',
  unknownDashboard: 'Die Website, von der Sie kommen, darf diesen Dienst nicht für Anmeldungen benutzen.',
  inDirectory: 'Ihre Organisation verwaltet dies in ihrem Verzeichnis. Es wird dort geändert.',
  noNewInDirectory: 'Konten dieser Domäne werden im Verzeichnis der Organisation angelegt.',
  twoFactorMustStay:
    'Alle müssen hier einen zweiten Faktor haben, deshalb bleibt er eingeschaltet. Nur die Administration kann ihn zurücksetzen.',
  twoFactorIsLast:
    'Alle müssen hier einen zweiten Faktor haben, und dieser ist Ihr einziger. Schalten Sie zuerst einen anderen ein.',
  twoFactorIsOffAlready: 'Die Zwei-Faktor-Anmeldung ist schon ausgeschaltet.',
  deviceStolen: 'Vielleicht hat jemand die Anmeldung dieses Geräts kopiert. Alle gemerkten Geräte des Kontos wurden vergessen.',
  passkeyNotAdded: 'Der Passkey konnte nicht hinzugefügt werden. Versuchen Sie es erneut, oder verwenden Sie einen anderen.',
  passkeysFull: (most) => `Sie haben ${most} Passkeys. Entfernen Sie einen, um einen weiteren hinzuzufügen.`,
  passkeyKnown: 'Dieser Passkey wurde schon hinzugefügt.',
  passkeyMustStay:
    'Sie müssen sich mit einem Passkey anmelden, deshalb kann der letzte nicht entfernt werden. Fügen Sie zuerst einen anderen hinzu.',
  passkeyLastWayIn:
    'Dieser Passkey ist der einzige Weg, sich an Ihrem Konto anzumelden. Setzen Sie ein Passwort oder fügen Sie einen weiteren Passkey hinzu, bevor Sie ihn entfernen.',
  providerLastWayIn:
    'Dies ist der einzige Weg, sich an Ihrem Konto anzumelden. Setzen Sie ein Passwort, oder fügen Sie einen Passkey oder ein anderes Konto hinzu, bevor Sie es trennen.',
  providerIsGone: 'Diese Anmeldung gibt es nicht mehr.',
  deletionIsOff: 'In Ihrer Domäne kann niemand das eigene Konto selbst löschen. Bitten Sie Ihre Administration darum.',
  deletionIsOver: 'Das Konto wird nicht mehr gelöscht.',
  invitationsAreOff: 'Hier kann niemand mehr eingeladen werden.',
} satisfies Translation<PageTexts>;
