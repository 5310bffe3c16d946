// The texts of the wallet's pages in the language of the reader. Only this language is loaded.
import type { Words } from './en/index.ts';

export let words: Words;

export async function loadWords(language: string): Promise<void> {
  words = (await (language === 'es' ? import('./es/index.ts') : import('./en/index.ts'))).words;
}
