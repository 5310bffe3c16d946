// How pages look to one reader: language, time zone, and the name and logo of the organization that runs the service.
import type { IncomingHttpHeaders } from 'node:http';
import { acceptedLanguages, LANGUAGE_TABLE, type Language, languageFor } from '../../../platform/languages/index.ts';
import { type Html, html } from './html.ts';
import type { PageScript } from './scripts.ts';
import { LANGUAGES, type PageWords } from './words/index.ts';

export interface Brand {
  readonly name: string;
  /** Paths of the files that pages refer to. */
  readonly style: string;
  readonly scripts: Readonly<Record<PageScript, string>>;
  readonly icon: string;
  /** The colours of the brand alone, for pages with a style of their own. */
  readonly colors?: string | undefined;
  readonly logo?: string | undefined;
  /** Of buttons on a light ground. */
  readonly accent?: { readonly color: string; readonly ink: string } | undefined;
  /** Where more is said, outside of our pages. */
  readonly links: Readonly<Partial<Record<BrandLink, string | undefined>>>;
  /** For readers of all others than ours. */
  readonly language: Language;
}

export type BrandLink = 'help' | 'terms' | 'privacy';

export interface PageLook {
  readonly words: PageWords;
  readonly brand: Brand;
  /** A time, in the reader's language and zone. */
  time(seconds: number): Html;
  /** The same look for somebody whose language or zone is known better. A language that was chosen in this browser stays. */
  for(reader: Reader): PageLook;
  /** The same for the same reader, with another brand. */
  in(brand: Brand): PageLook;
}

export interface Reader {
  /** Language tags, the best first. */
  readonly languages?: readonly string[] | undefined;
  /** An IANA name such as `Europe/Madrid`. */
  readonly zone?: string | undefined;
}

/** The language that was chosen in this browser. */
export const LANGUAGE_COOKIE = 'gatehouse_language';
/** The zone of this browser, from the script of the sign-in page. */
const ZONE_COOKIE = 'gatehouse_zone';

const isZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
};

function timeIn(language: Language, zone: string): (seconds: number) => Html {
  const format = new Intl.DateTimeFormat(LANGUAGE_TABLE[language].locale, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: zone,
  });
  const name = new Intl.DateTimeFormat(language, { timeZone: zone, timeZoneName: 'short' });
  return (seconds) => {
    const at = new Date(seconds * 1000);
    const zoneName = name.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? zone;
    return html`<time datetime="${at.toISOString()}">${format.format(at)} ${zoneName}</time>`;
  };
}

export interface LookChoice extends Reader {
  readonly brand: Brand;
  /** The language that was chosen in this browser. */
  readonly chosen?: string | undefined;
}

export function createLook(choice: LookChoice): PageLook {
  const { brand, chosen, languages = [] } = choice;
  const language = languageFor([...(chosen ? [chosen] : []), ...languages]) ?? brand.language;
  const zone = choice.zone !== undefined && isZone(choice.zone) ? choice.zone : 'UTC';
  let time: ((seconds: number) => Html) | undefined;
  return {
    words: LANGUAGES[language],
    brand,
    time(seconds) {
      time ??= timeIn(language, zone);
      return time(seconds);
    },
    in: (other) => createLook({ ...choice, brand: other }),
    for: (reader) =>
      createLook({ ...choice, languages: [...(reader.languages ?? []), ...languages], zone: reader.zone ?? choice.zone }),
  };
}

/** The look for whoever sent a request. */
export function lookOf({ headers }: { readonly headers: IncomingHttpHeaders }, brand: Brand): PageLook {
  return createLook({
    brand,
    chosen: cookieIn(headers.cookie, LANGUAGE_COOKIE),
    languages: acceptedLanguages(headers['accept-language']),
    zone: cookieIn(headers.cookie, ZONE_COOKIE),
  });
}

export function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    if (part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}
