// Texts about one's own data as a file, and about deleting one's account.
const en = {
  personalData: 'Your data',
  personalDataText:
    'A file with everything that is stored about you here: profile, memberships, sessions, ways to sign in, and what happened with your account. It has no passwords or keys.',
  downloadData: 'Download your data',
  deleteAccount: 'Delete your account',
  deleteAccountText: (days: number) =>
    days === 0
      ? 'You are signed out everywhere, and your account is deleted with everything that belongs to it.'
      : `You are signed out everywhere. After ${days} ${days === 1 ? 'day' : 'days'}, your account is deleted with everything that belongs to it. Until then you can sign in to keep it.`,
  typeUserName: (name: string) => `Type your user name, ${name}, to confirm`,
  deletionRefused: {
    managed: 'Your account is managed by another system. Ask your administrator to delete it.',
    last_administrator: 'You are the last administrator. Make somebody else an administrator before you leave.',
  },
  deletionWrongName: 'This is not your user name.',
  deletionPendingTitle: 'Your account will be deleted',
  deletionPendingText: 'You have been signed out everywhere. Your account will be deleted on',
  deletionPendingComeBack: 'If you change your mind, sign in before then.',
  deletionAtOnceTitle: 'Your account is being deleted',
  deletionAtOnceText: 'You have been signed out everywhere. Within minutes nothing is left of your account.',
  accountIsPendingDeletion: 'Your account will be deleted, as you asked, on',
  keepAccountTitle: 'Keep your account?',
  keepAccountText: 'You can keep your account, with everything that belongs to it. Otherwise it will be deleted at that time.',
  keepAccount: 'Keep my account',
  letItGo: 'Delete my account as planned',
  accountKept: 'Your account stays',
  accountKeptText: 'It will not be deleted. Sign in to use it again.',
};

const es: typeof en = {
  personalData: 'Sus datos',
  personalDataText:
    'Un archivo con todo lo que se guarda aquí sobre usted: perfil, grupos y roles, sesiones, formas de iniciar sesión y lo ocurrido con su cuenta. No contiene contraseñas ni claves.',
  downloadData: 'Descargar sus datos',
  deleteAccount: 'Eliminar su cuenta',
  deleteAccountText: (days) =>
    days === 0
      ? 'Se cierran todas sus sesiones y su cuenta se elimina con todo lo que contiene.'
      : `Se cierran todas sus sesiones. Después de ${days} ${days === 1 ? 'día' : 'días'}, su cuenta se elimina con todo lo que contiene. Hasta entonces puede iniciar sesión para conservarla.`,
  typeUserName: (name) => `Escriba su nombre de usuario, ${name}, para confirmar`,
  deletionRefused: {
    managed: 'Otro sistema gestiona su cuenta. Pida a su administrador que la elimine.',
    last_administrator: 'Usted es el último administrador. Nombre administrador a otra persona antes de irse.',
  },
  deletionWrongName: 'Este no es su nombre de usuario.',
  deletionPendingTitle: 'Su cuenta se va a eliminar',
  deletionPendingText: 'Se han cerrado todas sus sesiones. Su cuenta se eliminará el',
  deletionPendingComeBack: 'Si cambia de opinión, inicie sesión antes de esa fecha.',
  deletionAtOnceTitle: 'Su cuenta se está eliminando',
  deletionAtOnceText: 'Se han cerrado todas sus sesiones. En unos minutos no quedará nada de su cuenta.',
  accountIsPendingDeletion: 'Su cuenta se eliminará, como ha pedido, el',
  keepAccountTitle: '¿Quiere conservar su cuenta?',
  keepAccountText: 'Puede conservar su cuenta, con todo lo que contiene. Si no, se eliminará en ese momento.',
  keepAccount: 'Conservar mi cuenta',
  letItGo: 'Eliminar mi cuenta según lo previsto',
  accountKept: 'Su cuenta se conserva',
  accountKeptText: 'No se eliminará. Inicie sesión para volver a usarla.',
};

export const departure = { en, es };
