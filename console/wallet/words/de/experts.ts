import type { Translation } from '../../../shared/languages.ts';
import type { Words } from '../en/index.ts';

export const experts = {
  title: 'Für Fachleute',
} satisfies Translation<Words['experts']>;
