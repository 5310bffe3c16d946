import type { Translation } from '../../../../../platform/languages/index.ts';
import type { PageTexts } from '../texts.ts';

export const wallet = {
  walletSignIn: 'Mit einer Wallet anmelden',
  walletUse: 'Meine Wallet verwenden',
  walletTitle: 'Zeigen Sie einen Nachweis aus Ihrer Wallet',
  walletSecondText: 'Zeigen Sie einen Nachweis dieses Kontos aus Ihrer Wallet.',
  walletSameText: 'Ist Ihre Wallet auf diesem Gerät, öffnen Sie sie. Sie führt Sie hierher zurück.',
  walletOpen: 'Meine Wallet öffnen',
  walletOtherText:
    'Ist sie auf einem anderen Gerät, scannen Sie diesen Code damit. Geben Sie dann die Nummer ein, die das andere Gerät zeigt.',
  walletQr: 'Code für die Wallet auf einem anderen Gerät',
  walletCode: 'Nummer, die das andere Gerät zeigt',
  walletBack: 'Anders anmelden',
  walletWrongCode: 'Diese Nummer ist nicht richtig, oder die Wallet hat noch nicht geantwortet.',
  walletRefused: 'Mit diesem Nachweis können Sie sich nicht anmelden.',
  walletNothing: 'Mit einer Wallet können Sie sich hier jetzt nicht anmelden. Melden Sie sich anders an.',
  walletNeedsPasskey: 'Dieses Konto braucht einen Passkey. Melden Sie sich mit dem Passwort an, um einen hinzuzufügen.',
  walletDeviceTitle: 'Noch ein Schritt im Browser',
  walletDeviceText: (application, browser, address) =>
    `Jemand meldet sich mit ${browser} von der Adresse ${address} bei ${application} an, und Ihre Wallet hat dafür geantwortet. Wenn Sie das sind, geben Sie dort diese Nummer ein:`,
  walletDeviceWarning: (site) =>
    `Geben Sie die Nummer nur auf ${site} ein, und nennen Sie sie niemandem: Wer sie hat, kann sich als Sie anmelden. Wenn Sie diese Anmeldung nicht begonnen haben, behalten Sie die Nummer für sich: Ohne sie wird niemand angemeldet.`,
  walletDeny: 'Das war ich nicht',
  walletDeniedTitle: 'Niemand wurde angemeldet',
  walletDeniedText: 'Was Ihre Wallet gezeigt hat, kann nicht mehr verwendet werden. Sie können diese Seite schließen.',
} satisfies Translation<PageTexts>;
