import type { Words } from '../en/index.ts';

export const frame: Words['frame'] = {
  actIn: 'Actuar en',
  system: 'Todo el sistema',
  domain: (name: string) => `Dominio ${name}`,
  organization: (name: string) => `Organización ${name}`,
  unscoped: 'Sin organización',
};
