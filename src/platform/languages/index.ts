// The languages of what people read: pages, mails, names of what is in credentials. docs/developing/language.md says how to add one.

interface LanguageDefinition {
  /** In itself. */
  readonly name: string;
  /** How it writes times and numbers. */
  readonly locale: string;
  /** Whether the compiler asks for every text. What another language lacks is read in English. */
  readonly isComplete: boolean;
}

/** By tag. The same table for browsers: console/shared/languages.ts. */
export const LANGUAGE_TABLE = {
  en: { name: 'English', locale: 'en-GB', isComplete: true },
  es: { name: 'Español', locale: 'es', isComplete: true },
  de: { name: 'Deutsch', locale: 'de', isComplete: false },
} as const satisfies Readonly<Record<string, LanguageDefinition>>;

export type Language = keyof typeof LANGUAGE_TABLE;
export const LANGUAGE_TAGS = Object.keys(LANGUAGE_TABLE) as [Language, ...Language[]];
/** For readers of all others. */
export const DEFAULT_LANGUAGE: Language = 'en';

type CompleteLanguage = { [Tag in Language]: (typeof LANGUAGE_TABLE)[Tag]['isComplete'] extends true ? Tag : never }[Language];

/** Some of the texts; its functions take what the English ones take. */
export type Translation<Texts> = {
  readonly [Name in keyof Texts]?: Texts[Name] extends string | readonly unknown[] | ((...values: never[]) => unknown)
    ? Texts[Name]
    : Translation<Texts[Name]>;
};

/** Texts in each language, as they are written. */
export type Translations<Texts> = Readonly<Record<CompleteLanguage, Texts>> &
  Readonly<Partial<Record<Language, Translation<NoInfer<Texts>>>>>;

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

export function inEveryLanguage<Texts extends object>(texts: Translations<Texts>): Readonly<Record<Language, Texts>> {
  const whole = LANGUAGE_TAGS.map((tag) => [tag, withEnglish(texts.en, texts[tag] ?? {})]);
  return Object.fromEntries(whole) as Record<Language, Texts>;
}

/** The tags of an Accept-Language header (RFC 9110), the best first. */
export function acceptedLanguages(header: string | undefined): string[] {
  const ranges = (header ?? '').slice(0, 500).split(',');
  return ranges
    .map((range) => {
      const [tag = '', ...parameters] = range.trim().split(/\s*;\s*/);
      const weight = parameters.find((parameter) => /^q=/i.test(parameter));
      return { tag, weight: weight === undefined ? 1 : Number(weight.slice(2)) };
    })
    .filter(({ tag, weight }) => tag !== '' && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag);
}

/** The first of the language tags that there are texts in: `es-MX` is read in `es`. */
export const languageFor = (tags: readonly string[]): Language | undefined =>
  tags.map((tag) => tag.split('-', 1)[0]!.toLowerCase()).find((tag): tag is Language => Object.hasOwn(LANGUAGE_TABLE, tag));

/** What whoever sent this Accept-Language header reads. */
export const languageOf = (header: string | undefined): Language => languageFor(acceptedLanguages(header)) ?? DEFAULT_LANGUAGE;
