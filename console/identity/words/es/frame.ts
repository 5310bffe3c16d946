import type { Words } from '../en/index.ts';

export const frame: Words['frame'] = {
  actIn: 'Actuar en',
  system: 'Todo el sistema',
  domain: (name: string) => `Dominio ${name}`,
  organization: (name: string) => `Organización ${name}`,
  unscoped: 'Sin organización',
  noOwnOrganization: {
    title: 'Esta cuenta no tiene organización propia',
    text: 'Indique una organización, o dele antes a la cuenta una organización predeterminada (Personas).',
  },
  roleLost: (before: string, now: string) => `Ya no tiene ningún rol en: ${before}. Ahora actúa en: ${now}.`,
};
