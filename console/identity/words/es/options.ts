import type { Words } from '../en/index.ts';

export const options: Words['options'] = {
  title: 'Excepciones de las reglas para cuentas',
  text: 'Para cuentas concretas, como las de programas. Las reglas mismas son ajustes del servicio.',
  ignore_password_expiry: 'La contraseña no caduca',
  ignore_lockout_failure_attempts: 'Las contraseñas erróneas no bloquean la cuenta',
  ignore_change_password_upon_first_use: 'Una contraseña puesta por quien administra se puede conservar',
  ignore_user_inactivity: 'No se desactiva cuando no se usa',
  ignore_two_factor_policy: 'No necesita un segundo factor, aunque todos deban tenerlo',
  lock_password: 'La persona no puede cambiar la contraseña',
  lock_password_hint: 'Quienes administran sí pueden.',
  multi_factor_auth_enabled: 'Para obtener un token hace falta una de las combinaciones de abajo',
  multi_factor_auth_rules: 'Combinaciones de métodos de acceso',
  multi_factor_auth_rules_hint:
    'Una por línea, con los métodos separados por comas, por ejemplo: password, totp. Vacío: sirve cualquier método.',
  badCombination: (line: string) => `«${line}» no es una lista de métodos: letras y guiones bajos, separados por comas.`,
};
