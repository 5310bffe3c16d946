import type { Words } from '../en/index.ts';

export const frame: Words['frame'] = {
  actIn: 'Actuar en',
  system: 'Todo el sistema',
  domain: (name: string) => `Dominio ${name}`,
  organization: (name: string) => `Organización ${name}`,
  unscoped: 'Sin organización',
  roleLost: (before: string, now: string) => `Ya no tiene ningún rol en: ${before}. Ahora actúa en: ${now}.`,
};
