import type { Translation } from '../../../../../platform/languages/index.ts';
import type { PageTexts } from '../texts.ts';

export const directory = {
  passwordInDirectory: 'Ihr Passwort gehört zum Verzeichnis Ihrer Organisation. Ändern Sie es dort.',
} satisfies Translation<PageTexts>;
