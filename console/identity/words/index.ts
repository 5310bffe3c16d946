// The texts of the console in the language of the reader. Nothing of the other languages is loaded.
import { textsIn } from '../../shared/languages.ts';
import type { Words } from './en/index.ts';

export let words: Words;

export async function loadWords(language: string): Promise<void> {
  words = await textsIn<Words>(language, async (one) => (await import(`./${one}/index.ts`)).words);
}
