// Texts for signing in with a wallet.
const en = {
  walletSignIn: 'Sign in with a wallet',
  walletUse: 'Use my wallet',
  walletTitle: 'Show a credential from your wallet',
  walletSecondText: 'Show a credential of this account from your wallet.',
  walletSameText: 'If your wallet is on this device, open it. It sends you back here.',
  walletOpen: 'Open my wallet',
  walletOtherText: 'If it is on another device, scan this code with it. Then type the number that the other device shows.',
  walletQr: 'Code for the wallet on another device',
  walletCode: 'Number that the other device shows',
  walletBack: 'Sign in another way',
  walletWrongCode: 'This number is not right, or the wallet has not answered yet.',
  walletRefused: 'You cannot sign in with this credential.',
  walletNothing: 'You cannot sign in with a wallet here now. Sign in another way.',
  walletNeedsPasskey: 'This account needs a passkey. Sign in with its password to add one.',
  walletDeviceTitle: 'One more step in the browser',
  walletDeviceText: (application: string, browser: string, address: string) =>
    `Somebody is signing in to ${application} with ${browser} at the address ${address}, and your wallet answered for them. If that is you, type this number there:`,
  walletDeviceWarning: (site: string) =>
    `Type the number on ${site} only, and tell it to nobody: whoever has it can sign in as you. If you did not start this sign-in, keep the number to yourself: without it nobody is signed in.`,
  walletDeny: 'It was not me',
  walletDeniedTitle: 'Nobody was signed in',
  walletDeniedText: 'What your wallet showed cannot be used any more. You can close this page.',
};

const es: typeof en = {
  walletSignIn: 'Iniciar sesión con una cartera digital',
  walletUse: 'Usar mi cartera digital',
  walletTitle: 'Muestre una credencial de su cartera digital',
  walletSecondText: 'Muestre una credencial de esta cuenta con su cartera digital.',
  walletSameText: 'Si su cartera está en este dispositivo, ábrala. Ella le traerá de vuelta aquí.',
  walletOpen: 'Abrir mi cartera',
  walletOtherText:
    'Si está en otro dispositivo, escanee este código con ella. Después escriba el número que muestra el otro dispositivo.',
  walletQr: 'Código para la cartera de otro dispositivo',
  walletCode: 'Número que muestra el otro dispositivo',
  walletBack: 'Iniciar sesión de otra forma',
  walletWrongCode: 'Este número no es correcto o la cartera todavía no ha respondido.',
  walletRefused: 'No puede iniciar sesión con esta credencial.',
  walletNothing: 'Ahora no puede iniciar sesión aquí con una cartera. Inicie sesión de otra forma.',
  walletNeedsPasskey: 'Esta cuenta necesita una llave de acceso. Entre con su contraseña para añadir una.',
  walletDeviceTitle: 'Un paso más en el navegador',
  walletDeviceText: (application, browser, address) =>
    `Alguien está iniciando sesión en ${application} con ${browser} desde la dirección ${address}, y su cartera ha respondido por esa persona. Si es usted, escriba allí este número:`,
  walletDeviceWarning: (site) =>
    `Escríbalo solo en ${site} y no se lo diga a nadie: quien lo tenga entra como usted. Si no ha empezado usted, nadie entra mientras no comunique el número.`,
  walletDeny: 'No he sido yo',
  walletDeniedTitle: 'Nadie ha iniciado sesión',
  walletDeniedText: 'Lo que mostró su cartera ya no se puede usar. Puede cerrar esta página.',
};

export const wallet = { en, es };
