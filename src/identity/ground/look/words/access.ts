// Texts of what can act for a person.
const en = {
  delegated: 'What can act for you',
  delegatedText:
    'These use your account without your password and without a second factor. They go on when you change your password. End what you do not know.',
  noDelegated: 'Nothing: no program and nobody else acts for you.',
  delegatedKinds: {
    'application credential': 'Application credential',
    'EC2 key': 'EC2 key',
    'key of codes': 'Key of an authenticator app, stored by a program',
    trust: 'Trust',
    'OAuth1 token': 'Access of a program (OAuth1)',
  },
  delegatedTo: (name: string) => `for ${name}`,
  inProject: (name: string) => `in ${name}`,
  madeAt: 'made',
  endsAt: 'ends',
  end: 'End',
  delegatedIsEnded: 'It has ended. Nobody can act for you with it any more.',
  moreTrusts: 'There are more trusts than are shown here. Others appear as you end these; or end all of it below.',
  delegatedStays: (count: number, hasMore = false) =>
    count === 1
      ? 'One thing can still act for you without your password.'
      : `${hasMore ? 'More than ' : ''}${count} things can still act for you without your password.`,
  seeDelegated: 'See what it is, and end it',
  otherWays: 'Other ways into your account',
  otherWaysAre: {
    security: 'passkeys, accounts at other providers, password and second factor',
    sessions: 'where you are signed in, and devices that are not asked for a code',
    applications: 'applications with access, and credentials in wallets',
  },
  endAll: 'End all of it',
  endAllText:
    'For when somebody else may have been in your account. It ends everything in this list, the access of all applications, all other sessions and all remembered devices. You stay signed in here. Passkeys, other providers and credentials in wallets stay: check them, too.',
  allIsEnded: 'All of it has ended. You are signed in here only.',
};

const es: typeof en = {
  delegated: 'Qué puede actuar por usted',
  delegatedText:
    'Usan su cuenta sin su contraseña y sin segundo factor. Siguen funcionando cuando cambia la contraseña. Ponga fin a lo que no conozca.',
  noDelegated: 'Nada: ningún programa ni ninguna otra persona actúa por usted.',
  delegatedKinds: {
    'application credential': 'Credencial de aplicación',
    'EC2 key': 'Clave EC2',
    'key of codes': 'Clave de una aplicación de autenticación, guardada por un programa',
    trust: 'Delegación de confianza',
    'OAuth1 token': 'Acceso de un programa (OAuth1)',
  },
  delegatedTo: (name) => `para ${name}`,
  inProject: (name) => `en ${name}`,
  madeAt: 'creación:',
  endsAt: 'fin:',
  end: 'Poner fin',
  delegatedIsEnded: 'Ha terminado. Ya nadie puede actuar por usted con ello.',
  moreTrusts:
    'Hay más delegaciones de confianza de las que se muestran aquí. Aparecerán otras cuando ponga fin a estas; o ponga fin a todo más abajo.',
  delegatedStays: (count, hasMore = false) =>
    count === 1
      ? 'Una cosa aún puede actuar por usted sin su contraseña.'
      : `${hasMore ? 'Más de ' : ''}${count} cosas aún pueden actuar por usted sin su contraseña.`,
  seeDelegated: 'Ver qué es y ponerle fin',
  otherWays: 'Otras formas de entrar en su cuenta',
  otherWaysAre: {
    security: 'llaves de acceso, cuentas en otros proveedores, contraseña y segundo factor',
    sessions: 'dónde tiene la sesión abierta, y dispositivos en los que no se pide un código',
    applications: 'aplicaciones con acceso, y credenciales en monederos',
  },
  endAll: 'Poner fin a todo',
  endAllText:
    'Para cuando otra persona pueda haber estado en su cuenta. Pone fin a todo lo de esta lista, al acceso de todas las aplicaciones, a todas las demás sesiones y a todos los dispositivos recordados. Seguirá con la sesión abierta aquí. Las llaves de acceso, los otros proveedores y las credenciales de monederos se mantienen: revíselos también.',
  allIsEnded: 'Todo ha terminado. Solo tiene la sesión abierta aquí.',
};

export const access = { en, es };
