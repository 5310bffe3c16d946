import type { Words } from '../en/index.ts';

export const people: Words['people'] = {
  title: 'Personas',
  what: 'personas por nombre, correo o id',
  name: 'Nombre de usuario',
  email: 'Correo electrónico',
  state: 'Estado',
  enabled: 'Activa',
  disabled: 'Desactivada',
  empty: 'Todavía no hay nadie aquí.',
};
