import type { Words } from '../en/index.ts';

/** Quién puede crear una cuenta. */
export const registering: Words['registering'] = {
  intro:
    'Quién puede crear una cuenta sin administrador: nadie, quienes fueron invitados o cualquiera con una dirección que lea. El enlace del correo confirma quién es; si se quiere, después decide un administrador.',
  page: 'La página de registro',
  terms: 'Cambiar la dirección de las condiciones de uso',
  noTerms: 'Indicar la dirección de las condiciones de uso',
};
