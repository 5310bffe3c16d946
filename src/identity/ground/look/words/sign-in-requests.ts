// Texts of applications that ask a person to sign in who is somewhere else.
const en = {
  requestsWait: 'Waiting for your answer',
  requestsText:
    'Allow only what you have just begun yourself, or with somebody who is with you. If there is a text to compare, it must be the one that you see or hear there.',
  requestTitle: (application: string) => `${application} asks you to sign in`,
  requestCompare: 'Compare:',
  requestMay: 'It would have access to:',
  requestFrom: 'asked',
  requestAddress: (address: string) => `from ${address}`,
  requestUntil: 'ends',
  refuseRequest: 'Refuse',
  requestIsAllowed: 'You have allowed it. Go on where you began.',
  requestIsRefused: 'You have refused it. The application gets nothing.',
  requestIsOver: 'There is nothing to answer any more: it has ended, was answered, or the application has changed since.',
  requestNeedsMore:
    'The application asks for a stronger sign-in than yours. Set up a passkey or a second factor under “Security” first.',
  whoMayAsk: 'Who may ask you to sign in',
  whoMayAskText:
    'Applications can ask you to sign in while you are somewhere else: at a counter, or on the phone. You see it here, and get a mail.',
  mayAskLabel: 'May ask me',
  mayAsk: {
    all: 'Every application that an administrator allows it',
    code: 'Only who knows my code',
    none: 'Nobody',
  },
  askCode: 'Code (6 to 32 letters and digits)',
  askCodeWrong: 'The code must have 6 to 32 letters and digits.',
  saveChoice: 'Save',
  choiceIsSaved: 'It is stored who may ask you.',
};

const es: typeof en = {
  requestsWait: 'Espera su respuesta',
  requestsText:
    'Permita solo lo que acaba de empezar usted, o con alguien que está con usted. Si hay un texto para comparar, debe ser el que ve u oye allí.',
  requestTitle: (application) => `${application} le pide que entre`,
  requestCompare: 'Compare:',
  requestMay: 'Tendría acceso a:',
  requestFrom: 'petición:',
  requestAddress: (address) => `desde ${address}`,
  requestUntil: 'fin:',
  refuseRequest: 'Rechazar',
  requestIsAllowed: 'Lo ha permitido. Siga donde empezó.',
  requestIsRefused: 'Lo ha rechazado. La aplicación no recibe nada.',
  requestIsOver: 'Ya no hay nada que responder: ha terminado, ya se respondió, o la aplicación ha cambiado desde entonces.',
  requestNeedsMore:
    'La aplicación pide una forma de entrar más segura que la suya. Configure antes una llave de acceso o un segundo factor en «Seguridad».',
  whoMayAsk: 'Quién puede pedirle que entre',
  whoMayAskText:
    'Las aplicaciones pueden pedirle que entre cuando está en otro lugar: en un mostrador o por teléfono. Lo verá aquí, y recibirá un correo.',
  mayAskLabel: 'Puede pedírmelo',
  mayAsk: {
    all: 'Toda aplicación a la que un administrador se lo permita',
    code: 'Solo quien sabe mi código',
    none: 'Nadie',
  },
  askCode: 'Código (de 6 a 32 letras y cifras)',
  askCodeWrong: 'El código debe tener de 6 a 32 letras y cifras.',
  saveChoice: 'Guardar',
  choiceIsSaved: 'Se ha guardado quién puede pedírselo.',
};

export const signInRequests = { en, es };
