// The texts of the pages, in each language. English and Spanish are written together; every other language has a folder.
import { inEveryLanguage, LANGUAGE_TAGS, type Language } from '../../../../platform/languages/index.ts';
import { words as german } from './de/index.ts';
import { english, type PageTexts, spanish } from './texts.ts';

export interface PageWords extends PageTexts {
  readonly language: Language;
}

const texts = inEveryLanguage<PageTexts>({ en: english, es: spanish, de: german });

export const LANGUAGES = Object.fromEntries(LANGUAGE_TAGS.map((tag) => [tag, { ...texts[tag], language: tag }])) as Readonly<
  Record<Language, PageWords>
>;
