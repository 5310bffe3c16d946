// The languages of the pages. docs/developing/language.md says how to add one.

/** By tag, as in src/platform/languages. What a language lacks that is not complete is read in English. */
export const LANGUAGES = {
  en: { name: 'English', locale: 'en-GB', isComplete: true },
  es: { name: 'Español', locale: 'es', isComplete: true },
  de: { name: 'Deutsch', locale: 'de', isComplete: false },
} as const;

export type Language = keyof typeof LANGUAGES;

/** Some of the texts; its functions take what the English ones take. */
export type Translation<Texts> = {
  readonly [Name in keyof Texts]?: Texts[Name] extends string | readonly unknown[] | ((...values: never[]) => unknown)
    ? Texts[Name]
    : Translation<Texts[Name]>;
};

const languageOf = (tag: string): Language => (Object.hasOwn(LANGUAGES, tag) ? (tag as Language) : 'en');

/** How the reader's language writes times and numbers. */
export const localeOf = (tag: string): string => LANGUAGES[languageOf(tag)].locale;

type Group = Readonly<Record<string, unknown>>;
const isGroup = (value: unknown): value is Group => typeof value === 'object' && value !== null && !Array.isArray(value);

function merged(english: Group, translation: Group): Group {
  const whole: Record<string, unknown> = { ...english };
  for (const [name, text] of Object.entries(translation)) {
    const group = whole[name];
    if (text !== undefined) whole[name] = isGroup(group) && isGroup(text) ? merged(group, text) : text;
  }
  return whole;
}

/** A translation with the English texts that it lacks. */
export const withEnglish = <Texts extends object>(english: Texts, translation: Translation<Texts>): Texts =>
  merged(english as Group, translation as Group) as Texts;

/** Loads the texts in one language. The English ones only if it may lack some. */
export async function textsIn<Texts extends object>(tag: string, load: (language: Language) => Promise<object>): Promise<Texts> {
  const language = languageOf(tag);
  const [one, english] = await Promise.all([load(language), LANGUAGES[language].isComplete ? undefined : load('en')]);
  return english ? withEnglish(english as Texts, one as Translation<Texts>) : (one as Texts);
}
