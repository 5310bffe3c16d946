// The texts of the pages, in each language. A file for each area of pages holds its texts in all languages.
import type { PAGE_LANGUAGES } from '../../settings/index.ts';
import { access } from './access.ts';
import { account } from './account.ts';
import { activity } from './activity.ts';
import { common } from './common.ts';
import { departure } from './departure.ts';
import { directory } from './directory.ts';
import { invitation } from './invitation.ts';
import { otherProviders } from './other-providers.ts';
import { people } from './people.ts';
import { refusals } from './refusals.ts';
import { roleCredentials } from './role-credentials.ts';
import { signIn } from './sign-in.ts';
import { wallet } from './wallet.ts';

const english = {
  language: 'en',
  ...common.en,
  ...signIn.en,
  ...account.en,
  ...access.en,
  ...activity.en,
  ...people.en,
  ...departure.en,
  ...invitation.en,
  ...otherProviders.en,
  ...wallet.en,
  ...roleCredentials.en,
  ...directory.en,
  ...refusals.en,
};

export type PageWords = typeof english;

const spanish: PageWords = {
  language: 'es',
  ...common.es,
  ...signIn.es,
  ...account.es,
  ...access.es,
  ...activity.es,
  ...people.es,
  ...departure.es,
  ...invitation.es,
  ...otherProviders.es,
  ...wallet.es,
  ...roleCredentials.es,
  ...directory.es,
  ...refusals.es,
};

/** By language. */
export const LANGUAGES = { en: english, es: spanish } as const satisfies Readonly<Record<PageLanguage, PageWords>>;
export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

/** The first of the language tags that there are pages in: `es-MX` is read in `es`. */
export const languageFor = (tags: readonly string[]): PageLanguage | undefined =>
  tags.map((tag) => tag.split('-', 1)[0]!.toLowerCase()).find((tag): tag is PageLanguage => Object.hasOwn(LANGUAGES, tag));
