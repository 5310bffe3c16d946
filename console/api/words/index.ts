// The texts of the page, in the language of the reader. The document itself is in English.
import { textsIn } from '../../shared/languages.ts';
import type { ApiTexts } from './en.ts';

export let words: ApiTexts;

export async function loadWords(language: string): Promise<void> {
  words = await textsIn<ApiTexts>(language, async (one) => (await import(`./${one}.ts`)).texts);
}
