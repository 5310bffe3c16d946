// The texts of all pages, in the language of the reader. Nothing of the other languages is loaded.
import { textsIn } from '../languages.ts';
import type { SharedTexts } from './en.ts';

export let shared: SharedTexts;

export async function loadSharedTexts(language: string): Promise<void> {
  shared = await textsIn<SharedTexts>(language, async (one) => (await import(`./${one}.ts`)).texts);
}
