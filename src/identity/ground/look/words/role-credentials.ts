// Texts for roles as credentials in a wallet.
const en = {
  takeRoles: 'Take my roles with me',
  takeRolesText:
    'With a credential in your wallet you can show elsewhere which roles you have here. It becomes invalid when you lose one of them.',
  noRolesToTake: 'You have no role that you can add to a wallet.',
  toWallet: 'Add to my wallet',
  credentialFormat: 'Format',
  credentialFormats: {
    'dc+sd-jwt': 'SD-JWT VC',
    'vc+sd-jwt': 'SD-JWT VC, for older wallets',
    jwt_vc_json: 'W3C credential (JWT)',
    mso_mdoc: 'Mobile document (ISO mdoc)',
  },
  inWallets: 'In your wallets',
  nothingInWallets: 'Nothing yet.',
  credentialIssued: 'issued',
  credentialRefreshed: 'last refreshed',
  credentialUntil: 'valid until',
  credentialStates: { valid: 'valid', suspended: 'suspended by an administrator', revoked: 'revoked', expired: 'expired' },
  credentialCopies: (count: number) => `${count} copies`,
  credentialIsRevoked: 'The credential was revoked. Nobody accepts it any more.',
  offerText:
    'Scan the QR code with your wallet. If the wallet is on this device, open it with the button, or copy the link into it. It then asks for the code below.',
  offerQr: 'Code for the wallet on another device',
  offerBeside: 'Open the wallet of this service',
  offerLink: 'Link',
  offerCode: 'Code that the wallet asks for',
  offerCodeHint: (service: string) => `It is on the page of ${service} that shows the QR code, below it.`,
  offerUntil: 'This offer works for one wallet, until',
  offerWarning: 'Show the QR code, the link and the code to nobody: whoever has them gets a credential with your roles.',
  offerDone: 'Done',
  rolesNotAvailable: 'You cannot receive this credential now. Load the page again.',
  tooManyOffers: (most: number) =>
    `You have ${most} offers for wallets that were not used. Wait until one of them ends, and try again.`,
};

const es: typeof en = {
  takeRoles: 'Llevar mis roles conmigo',
  takeRolesText:
    'Con una credencial en su cartera digital puede mostrar en otros sitios qué roles tiene aquí. Deja de ser válida cuando pierde alguno de ellos.',
  noRolesToTake: 'No tiene ningún rol que pueda llevarse.',
  toWallet: 'Añadir a mi cartera',
  credentialFormat: 'Formato',
  credentialFormats: {
    'dc+sd-jwt': 'Credencial SD-JWT VC',
    'vc+sd-jwt': 'SD-JWT VC, para carteras antiguas',
    jwt_vc_json: 'Credencial del W3C (JWT)',
    mso_mdoc: 'Documento móvil (ISO mdoc)',
  },
  inWallets: 'En sus carteras',
  nothingInWallets: 'Todavía ninguna.',
  credentialIssued: 'emitida el',
  credentialRefreshed: 'renovada por última vez el',
  credentialUntil: 'válida hasta el',
  credentialStates: {
    valid: 'válida',
    suspended: 'suspendida por un administrador',
    revoked: 'revocada el',
    expired: 'caducada el',
  },
  credentialCopies: (count) => `${count} copias`,
  credentialIsRevoked: 'La credencial se ha revocado. Ya nadie la acepta.',
  offerText:
    'Escanee el código QR con su cartera digital. Si la cartera está en este dispositivo, ábrala con el botón o copie en ella el enlace. Después le pedirá el código de abajo.',
  offerQr: 'Código para la cartera de otro dispositivo',
  offerBeside: 'Abrir la cartera de este servicio',
  offerLink: 'Enlace',
  offerCode: 'Código que pide la cartera',
  offerCodeHint: (service) => `Está en la página de ${service} que muestra el código QR, debajo de este.`,
  offerUntil: 'Sirve para una sola cartera, hasta el',
  offerWarning: 'No enseñe a nadie el código QR, el enlace ni el código: quien los tenga obtiene una credencial con sus roles.',
  offerDone: 'Hecho',
  rolesNotAvailable: 'Ahora no puede recibir esta credencial. Vuelva a cargar la página.',
  tooManyOffers: (most) => `Tiene ${most} ofertas para carteras sin usar. Espere a que caduque alguna y vuelva a intentarlo.`,
};

export const roleCredentials = { en, es };
