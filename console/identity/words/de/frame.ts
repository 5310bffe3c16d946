import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

export const frame = {
  actIn: 'Handeln in',
  system: 'Das ganze System',
  domain: (name) => `Domäne ${name}`,
  organization: (name) => `Organisation ${name}`,
  unscoped: 'Keine Organisation',
  noOwnOrganization: {
    title: 'Dieses Konto hat keine eigene Organisation',
    text: 'Nennen Sie eine Organisation, oder geben Sie dem Konto zuerst eine Standardorganisation (Personen).',
  },
  roleLost: (before, now) => `Hier haben Sie keine Rolle mehr: ${before}. Sie handeln jetzt in: ${now}.`,
} satisfies Translation<Words['frame']>;
