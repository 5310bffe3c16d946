import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

/** Wer ein Konto anlegen darf. */
export const registering = {
  intro:
    'Wer ohne die Administration ein Konto anlegen darf: niemand, Eingeladene oder alle mit einer Adresse, deren Mails sie lesen. Der Link in der Mail bestätigt, wer sie sind; wenn gewünscht, entscheidet danach ein Administrator.',
  page: 'Die Seite zum Registrieren',
  terms: 'Adresse der Nutzungsbedingungen ändern',
  noTerms: 'Adresse der Nutzungsbedingungen angeben',
} satisfies Translation<Words['registering']>;
