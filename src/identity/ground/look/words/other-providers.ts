// Texts for signing in through other providers.
const en = {
  providerOr: 'or',
  providerContinue: (provider: string) => `Continue with ${provider}`,
  providerByEmail: 'Sign in with the account of my organization',
  providerEmailText: 'Enter your e-mail address at your organization. You sign in there.',
  providerNoneForEmail: 'No organization is set up for this e-mail address. Check the address, or sign in another way.',
  providerFailedTitle: 'You are not signed in',
  providerUnavailable: (provider: string) =>
    `${provider} does not answer at the moment. Try again later, or sign in another way.`,
  providerDenied: (provider: string) => `You were not signed in at ${provider}.`,
  providerRefused: (provider: string) => `The answer of ${provider} cannot be used.`,
  providerAccountRefused: 'The account cannot be used.',
  /** By the reason of the refusal. */
  providerRefusals: {
    settings_changed: 'The settings of this way to sign in have just changed. Try again.',
    mapping_refused: 'The rules of this service do not let you in. Ask your administrator.',
    account_deleted: 'Your account here was deleted.',
    other_domain: 'This way to sign in is not for the domain of the account.',
    other_account: 'That account is connected with another account here.',
    no_account: 'There is no account here that is connected with the one you signed in with.',
    no_name: 'The provider did not send what an account needs. Ask your administrator.',
    signed_out: 'You were signed out at the provider in the meantime. Sign in again.',
    credential_ended: 'The credential that you showed is not valid any more. Show another one.',
    time_unknown:
      'A recent sign-in is needed, and the provider does not say when you signed in. Sign in another way, or ask your administrator.',
  } as Readonly<Record<string, string>>,
  providerNeedsPasskey: 'This account needs a passkey. Sign in with its password to add one.',
  providerBack: 'Back to the sign-in',
  providerFirstTitle: 'Your first time here',
  providerFirstText: (provider: string, label: string) =>
    `You are signed in at ${provider} as ${label}. Do you already have an account here?`,
  providerHaveAccount: 'I have an account: sign in and connect it',
  providerNewAccount: 'Create a new account',
  providerProveText: (provider: string) => `Sign in once to your account here. From then on you can enter it with ${provider}.`,
  providerAccounts: 'Accounts at other providers',
  providerNoAccounts: 'None. You can connect one when you sign in with it.',
  providerConnected: 'connected',
  providerDisconnect: 'Disconnect',
  providerIsDisconnected: 'The account is disconnected.',
};

const es: typeof en = {
  providerOr: 'o',
  providerContinue: (provider) => `Continuar con ${provider}`,
  providerByEmail: 'Entrar con la cuenta de mi organización',
  providerEmailText: 'Escriba su dirección de correo de su organización. Iniciará sesión allí.',
  providerNoneForEmail: 'No hay inicio de sesión para esta dirección.',
  providerFailedTitle: 'No ha iniciado sesión',
  providerUnavailable: (provider) => `${provider} no responde en este momento. Inténtelo más tarde o entre de otra forma.`,
  providerDenied: (provider) => `No ha iniciado sesión en ${provider}.`,
  providerRefused: (provider) => `La respuesta de ${provider} no se puede usar.`,
  providerAccountRefused: 'La cuenta no se puede usar.',
  providerRefusals: {
    settings_changed: 'Los ajustes de esta forma de iniciar sesión acaban de cambiar. Vuelva a intentarlo.',
    mapping_refused: 'Las reglas de este servicio no le permiten entrar. Pregunte a su administrador.',
    account_deleted: 'Su cuenta de aquí se ha eliminado.',
    other_domain: 'Esta forma de iniciar sesión no es para el dominio de la cuenta.',
    other_account: 'Esa cuenta está conectada con otra cuenta de aquí.',
    no_account: 'No hay aquí ninguna cuenta para ella.',
    no_name: 'El proveedor no ha enviado lo que necesita una cuenta. Pregunte a su administrador.',
    signed_out: 'Mientras tanto, su sesión en el proveedor se ha cerrado. Vuelva a iniciar sesión.',
    credential_ended: 'La credencial que ha mostrado ya no es válida. Muestre otra.',
    time_unknown:
      'Debe iniciar sesión de nuevo y el proveedor no dice cuándo lo ha hecho. Entre de otra forma o pregunte a su administrador.',
  },
  providerNeedsPasskey: 'Esta cuenta necesita una llave de acceso. Entre con su contraseña para añadir una.',
  providerBack: 'Volver al inicio de sesión',
  providerFirstTitle: 'Su primera vez aquí',
  providerFirstText: (provider, label) => `Ha iniciado sesión en ${provider} como ${label}. ¿Ya tiene una cuenta aquí?`,
  providerHaveAccount: 'Tengo una cuenta: entrar y conectarla',
  providerNewAccount: 'Crear una cuenta nueva',
  providerProveText: (provider) =>
    `Entre una vez en su cuenta de aquí. A partir de entonces podrá entrar en ella con ${provider}.`,
  providerAccounts: 'Cuentas en otros proveedores',
  providerNoAccounts: 'Ninguna. Puede conectar una al entrar con ella.',
  providerConnected: 'conectada:',
  providerDisconnect: 'Desconectar',
  providerIsDisconnected: 'La cuenta está desconectada.',
};

export const otherProviders = { en, es };
