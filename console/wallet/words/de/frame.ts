import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

export const frame = {
  welcome: 'Empfangen Sie Nachweise von Ausstellern, und zeigen Sie sie vor: nur das, was Sie freigeben.',
  longLink:
    'Der geöffnete Link ist zu lang, um ihn während der Anmeldung zu behalten. Melden Sie sich an, und öffnen Sie ihn dann erneut.',
} satisfies Translation<Words['frame']>;
