// The texts of all pages, in the language of the reader. Only this language is loaded.
import type { SharedTexts } from './en.ts';

export let shared: SharedTexts;

export async function loadSharedTexts(language: string): Promise<void> {
  shared = (await (language === 'es' ? import('./es.ts') : import('./en.ts'))).texts;
}
