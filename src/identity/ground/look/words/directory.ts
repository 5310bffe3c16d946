// Texts for people of a directory (LDAP).
const en = {
  passwordInDirectory: 'Your password belongs to the directory of your organization. Change it there.',
};

const es: typeof en = {
  passwordInDirectory: 'Su contraseña pertenece al directorio de su organización. Cámbiela allí.',
};

export const directory = { en, es };
