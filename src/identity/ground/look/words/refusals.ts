// Why something was refused. Refusals that belong to one page are with the texts of that page.
const en = {
  notPossible: 'This did not work. Load the page again, and try once more.',
  notAllowed: 'You are not allowed to do this.',
  badValue: 'Something that you entered cannot be used here. Check it, and try again.',
  badLength: 'The password must have at least one character, and at most 4096.',
  isGone: 'This is not there any more. Load the page again.',
  accountIsGone: 'The account cannot be used any more.',
  domainIsGone: 'The domain of the account cannot be used any more.',
  nameOrAddressTaken: 'Another account has this name or address already.',
  emailHasChanged: 'The e-mail address of the account was changed meanwhile. Ask for a new link.',
  tooLarge: 'What the browser sent is too large.',
  passwordPattern: 'This password does not have the form that is required here.',
  unknownDashboard: 'The site that sent you here may not use this service to sign people in.',
  inDirectory: 'Your organization manages this in its directory. It is changed there.',
  noNewInDirectory: 'Accounts of this domain are made in the directory of the organization.',
  twoFactorMustStay: 'Everybody here must have a second factor, so it stays on. Only an administrator can reset it.',
  twoFactorIsLast: 'Everybody here must have a second factor, and this is your only one. Turn on another one first.',
  twoFactorIsOffAlready: 'Two-factor authentication is off already.',
  deviceStolen: 'Somebody may have copied the sign-in of this device. All remembered devices of the account were forgotten.',
  passkeyNotAdded: 'The passkey could not be added. Try again, or use another one.',
  passkeysFull: (most: number) => `You have ${most} passkeys. Remove one to add another.`,
  passkeyKnown: 'This passkey was added before.',
  passkeyMustStay: 'You must sign in with a passkey, so the last one cannot be removed. Add another one first.',
  passkeyLastWayIn:
    'This passkey is the only way to sign in to your account. Set a password, or add another passkey before you remove it.',
  providerLastWayIn:
    'This is the only way to sign in to your account. Set a password, or add a passkey or another account before you disconnect it.',
  providerIsGone: 'This way to sign in does not exist any more.',
  deletionIsOff: 'People of your domain cannot delete their account themselves. Ask your administrator.',
  deletionIsOver: 'The account will not be deleted any more.',
  invitationsAreOff: 'Nobody can be invited here any more.',
};

const es: typeof en = {
  notPossible: 'No ha funcionado. Vuelva a cargar la página e inténtelo otra vez.',
  notAllowed: 'No tiene permiso para hacer esto.',
  badValue: 'Algo de lo que ha escrito no se puede usar aquí. Revíselo y vuelva a intentarlo.',
  badLength: 'La contraseña debe tener al menos un carácter y como máximo 4096.',
  isGone: 'Esto ya no existe. Vuelva a cargar la página.',
  accountIsGone: 'La cuenta ya no se puede usar.',
  domainIsGone: 'El dominio de la cuenta ya no se puede usar.',
  nameOrAddressTaken: 'Otra cuenta ya tiene este nombre o esta dirección.',
  emailHasChanged: 'Entretanto ha cambiado la dirección de correo de la cuenta. Pida otro enlace.',
  tooLarge: 'Lo que ha enviado el navegador es demasiado grande.',
  passwordPattern: 'Esta contraseña no tiene la forma que se exige aquí.',
  unknownDashboard: 'La página que le envió aquí no es de las que usan este servicio para iniciar sesión.',
  inDirectory: 'Su organización gestiona esto en su directorio. Se cambia allí.',
  noNewInDirectory: 'Las cuentas de este dominio se crean en el directorio de la organización.',
  twoFactorMustStay:
    'Aquí todas las personas deben tener un segundo factor, así que sigue activado. Solo un administrador puede restablecerlo.',
  twoFactorIsLast:
    'Aquí todas las personas deben tener un segundo factor, y este es el único que usted tiene. Active otro primero.',
  twoFactorIsOffAlready: 'La autenticación de dos factores ya está desactivada.',
  deviceStolen:
    'Es posible que alguien haya copiado el inicio de sesión de este dispositivo. Se han olvidado todos los dispositivos recordados de la cuenta.',
  passkeyNotAdded: 'No se ha podido añadir la llave de acceso. Vuelva a intentarlo o use otra.',
  passkeysFull: (most) => `Tiene ${most} llaves de acceso. Elimine una para añadir otra.`,
  passkeyKnown: 'Esta llave de acceso ya se había añadido.',
  passkeyMustStay: 'Debe iniciar sesión con una llave de acceso, por lo que no se puede eliminar la última. Añada otra primero.',
  passkeyLastWayIn:
    'Esta llave de acceso es la única forma de entrar en su cuenta. Establezca una contraseña o añada otra llave antes de eliminarla.',
  providerLastWayIn:
    'Esta es la única forma de entrar en su cuenta. Establezca una contraseña, o añada una llave de acceso u otra cuenta antes de desconectarla.',
  providerIsGone: 'Esta forma de iniciar sesión ya no existe.',
  deletionIsOff: 'Las personas de su dominio no pueden eliminar su cuenta por sí mismas. Pídalo a su administrador.',
  deletionIsOver: 'Ya no se va a eliminar la cuenta.',
  invitationsAreOff: 'Aquí ya no se puede invitar a nadie.',
};

export const refusals = { en, es };
