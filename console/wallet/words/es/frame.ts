import type { Words } from '../en/index.ts';

export const frame: Words['frame'] = {
  welcome: 'Sus credenciales: recibidas de quienes las emiten y mostradas a quienes las piden, solo hasta donde usted acepte.',
  longLink:
    'El enlace que ha abierto es demasiado largo para conservarlo mientras inicia sesión. Inicie sesión y ábralo de nuevo.',
};
