// The texts of the page, in the language of the reader. The document itself is in English.
import type { ApiTexts } from './en.ts';

export let words: ApiTexts;

export async function loadWords(language: string): Promise<void> {
  words = (await (language === 'es' ? import('./es.ts') : import('./en.ts'))).texts;
}
