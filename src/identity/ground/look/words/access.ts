// Texts of what can act for a person.
const en = {
  delegated: 'What can act for you',
  delegatedText:
    'The programs and people in this list can use your account without your password and without a second factor, also after you change your password. End everything that you do not know.',
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
  end: 'End access',
  delegatedIsEnded: 'It has ended. Nobody can act for you with it any more.',
  moreTrusts:
    'There are more trusts than are shown here. Others appear as you end these; or end everything with the button below.',
  delegatedStays: (count: number, hasMore = false) =>
    count === 1
      ? 'One program or person can still act for you without your password.'
      : `${hasMore ? 'More than ' : ''}${count} programs or people can still act for you without your password.`,
  seeDelegated: 'See who can act for you, and end their access',
  otherWays: 'Other ways into your account',
  otherWaysAre: {
    security: 'passkeys, accounts at other providers, password and second factor',
    sessions: 'where you are signed in, and devices that are not asked for a code',
    applications: 'applications with access, and credentials in wallets',
  },
  endAll: 'End programs, applications and other sessions',
  endAllText:
    'Use this when somebody else may have been in your account. It ends everything in the list above, the access of all applications, all other sessions and all remembered devices. You stay signed in here. Passkeys, other providers and credentials in wallets stay: check them, too.',
  allIsEnded:
    'Programs, applications and other sessions have ended. You are signed in here only. Check your passkeys, other providers and credentials in wallets, too.',
};

const es: typeof en = {
  delegated: 'Qué puede actuar por usted',
  delegatedText:
    'Los programas y las personas de esta lista pueden usar su cuenta sin su contraseña y sin segundo factor, también después de cambiar la contraseña. Ponga fin a todo lo que no conozca.',
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
  end: 'Poner fin al acceso',
  delegatedIsEnded: 'Ha terminado. Ya nadie puede actuar por usted con ello.',
  moreTrusts:
    'Hay más delegaciones de confianza de las que se muestran aquí. Aparecerán otras cuando ponga fin a estas; o ponga fin a todo más abajo.',
  delegatedStays: (count, hasMore = false) =>
    count === 1
      ? 'Un programa o una persona aún puede actuar por usted sin su contraseña.'
      : `${hasMore ? 'Más de ' : ''}${count} programas o personas aún pueden actuar por usted sin su contraseña.`,
  seeDelegated: 'Ver quién puede actuar por usted y poner fin a su acceso',
  otherWays: 'Otras formas de entrar en su cuenta',
  otherWaysAre: {
    security: 'llaves de acceso, cuentas en otros proveedores, contraseña y segundo factor',
    sessions: 'dónde tiene la sesión abierta, y dispositivos en los que no se pide un código',
    applications: 'aplicaciones con acceso, y credenciales en carteras',
  },
  endAll: 'Poner fin a programas, aplicaciones y otras sesiones',
  endAllText:
    'Úselo cuando otra persona pueda haber estado en su cuenta. Pone fin a todo lo de la lista anterior, al acceso de todas las aplicaciones, a todas las demás sesiones y a todos los dispositivos recordados. Seguirá con la sesión abierta aquí. Las llaves de acceso, los otros proveedores y las credenciales en carteras se mantienen: revíselos también.',
  allIsEnded:
    'Han terminado los programas, las aplicaciones y las demás sesiones. Solo tiene la sesión abierta aquí. Revise también sus llaves de acceso, los otros proveedores y las credenciales en carteras.',
};

export const access = { en, es };
