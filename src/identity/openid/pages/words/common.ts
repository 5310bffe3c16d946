// Texts that several pages use, and the pages for errors.
const en = {
  cancel: 'Cancel',
  continueLabel: 'Continue',
  done: 'Done.',
  tooMany: (seconds: number) => `Too many attempts. Wait ${seconds} seconds, then try again.`,
  busy: 'The service is busy. Try again in a moment.',
  tooLate: 'That took too long. Sign in again.',
  errorTitle: 'This did not work',
  errorText: 'The application sent a request that cannot be answered. Go back to it and try again.',
  expiredTitle: 'This page has expired',
  expiredText: 'Go back to the application and sign in from there again.',
};

const es: typeof en = {
  cancel: 'Cancelar',
  continueLabel: 'Continuar',
  done: 'Hecho.',
  tooMany: (seconds) => `Demasiados intentos. Espere ${seconds} segundos y vuelva a intentarlo.`,
  busy: 'El servicio está ocupado. Vuelva a intentarlo en un momento.',
  tooLate: 'Ha tardado demasiado. Inicie sesión de nuevo.',
  errorTitle: 'No ha funcionado',
  errorText: 'La aplicación ha enviado una petición que no se puede atender. Vuelva a ella e inténtelo de nuevo.',
  expiredTitle: 'Esta página ha caducado',
  expiredText: 'Vuelva a la aplicación e inicie sesión de nuevo desde allí.',
};

export const common = { en, es };
