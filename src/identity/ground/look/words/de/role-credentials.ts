import type { Translation } from '../../../../../platform/languages/index.ts';
import type { PageTexts } from '../texts.ts';

export const roleCredentials = {
  takeRoles: 'Meine Rollen mitnehmen',
  takeRolesText:
    'Mit einem Nachweis in Ihrer Wallet können Sie anderswo zeigen, welche Rollen Sie hier haben. Er wird ungültig, wenn Sie eine davon verlieren.',
  noRolesToTake: 'Sie haben keine Rolle, die Sie in eine Wallet aufnehmen können.',
  toWallet: 'In meine Wallet',
  credentialFormat: 'Format',
  credentialFormats: {
    'dc+sd-jwt': 'SD-JWT VC',
    'vc+sd-jwt': 'SD-JWT VC, für ältere Wallets',
    jwt_vc_json: 'W3C-Nachweis (JWT)',
    mso_mdoc: 'Mobiles Dokument (ISO mdoc)',
  },
  inWallets: 'In Ihren Wallets',
  nothingInWallets: 'Noch nichts.',
  credentialIssued: 'ausgestellt',
  credentialRefreshed: 'zuletzt erneuert',
  credentialUntil: 'gültig bis',
  credentialStates: {
    valid: 'gültig',
    suspended: 'von der Administration ausgesetzt',
    revoked: 'widerrufen',
    expired: 'abgelaufen',
  },
  credentialCopies: (count) => `${count} Kopien`,
  credentialIsRevoked: 'Der Nachweis wurde widerrufen. Niemand nimmt ihn mehr an.',
  offerText:
    'Scannen Sie den QR-Code mit Ihrer Wallet. Ist die Wallet auf diesem Gerät, öffnen Sie sie mit der Schaltfläche, oder kopieren Sie den Link hinein. Sie fragt dann nach dem Code unten.',
  offerQr: 'Code für die Wallet auf einem anderen Gerät',
  offerBeside: 'Wallet dieses Dienstes öffnen',
  offerLink: 'Link',
  offerCode: 'Code, nach dem die Wallet fragt',
  offerCodeHint: (service) => `Er steht auf der Seite von ${service}, die den QR-Code zeigt, darunter.`,
  offerUntil: 'Dieses Angebot gilt für eine Wallet, bis',
  offerWarning: 'Zeigen Sie den QR-Code, den Link und den Code niemandem: Wer sie hat, bekommt einen Nachweis mit Ihren Rollen.',
  offerDone: 'Fertig',
  rolesNotAvailable: 'Diesen Nachweis können Sie jetzt nicht erhalten. Laden Sie die Seite neu.',
  tooManyOffers: (most) =>
    `Sie haben ${most} Angebote für Wallets, die nicht benutzt wurden. Warten Sie, bis eines davon endet, und versuchen Sie es erneut.`,
  claimNames: {
    roles: 'Rollen',
    name: 'Name',
    email: 'E-Mail-Adresse',
    given_name: 'Vorname',
    family_name: 'Nachname',
    preferred_username: 'Benutzername',
    organization: 'Organisation',
    target: 'Id der Anwendung',
    application: 'Anwendung',
    names: 'Namen der Rollen',
  },
} satisfies Translation<PageTexts>;
