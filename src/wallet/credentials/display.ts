// How an issuer describes its credentials (OID4VCI, 12.2.4): names, colours and labels of claims, in several languages. They are
// texts of a stranger, so only what can be displayed safely is kept. Pictures are left out: showing one would tell the issuer
// when the wallet is opened.
import { type Static, t } from '../../platform/http/index.ts';

const MAX_LANGUAGES = 20;
const MAX_LABELS = 200;
const MAX_PATH = 32;
const MAX_NAME = 200;
const MAX_DESCRIPTION = 1000;
const COLOUR = '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$';
/** A language tag, such as `es` or `es-ES`. */
const LOCALE = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/;
/** Control characters, and those that change the direction of the text around them. */
const INVISIBLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

const Locale = t.string({ examples: ['es-ES'] });

export const LocalName = t.object({ name: t.string() }, { locale: Locale });
export type LocalName = Static<typeof LocalName>;

export const Display = t.object(
  {},
  {
    locale: Locale,
    name: t.string(),
    description: t.string(),
    backgroundColor: t.string({ pattern: COLOUR, examples: ['#12107c'] }),
    textColor: t.string({ pattern: COLOUR }),
  },
);
export type Display = Static<typeof Display>;

export const ClaimLabel = t.object(
  { path: t.array(t.unknown(), { description: 'Names, positions, or null for every element of a list.' }) },
  { names: t.array(LocalName), mandatory: t.boolean({ description: 'The issuer always includes it.' }) },
);
export type ClaimLabel = Static<typeof ClaimLabel>;

/** What an issuer says about a kind of credential. */
export interface Description {
  readonly displays: readonly Display[];
  readonly labels: readonly ClaimLabel[];
}

type Unknown = Readonly<Record<string, unknown>>;

const objectsIn = (value: unknown, limit: number): Unknown[] =>
  (Array.isArray(value) ? value.slice(0, limit) : []).filter(
    (one): one is Unknown => typeof one === 'object' && one !== null && !Array.isArray(one),
  );

function text(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.replace(INVISIBLE, ' ').trim().slice(0, maxLength) || undefined;
}

const localeOf = ({ locale }: Unknown): { locale?: string } =>
  typeof locale === 'string' && locale.length <= 35 && LOCALE.test(locale) ? { locale } : {};

function colour(name: 'backgroundColor' | 'textColor', value: unknown): Display {
  return typeof value === 'string' && new RegExp(COLOUR).test(value) ? { [name]: value } : {};
}

/** One name for each language. */
export const localNames = (value: unknown): LocalName[] =>
  objectsIn(value, MAX_LANGUAGES).flatMap((one) => {
    const name = text(one.name, MAX_NAME);
    return name === undefined ? [] : { ...localeOf(one), name };
  });

export const displaysOf = (value: unknown): Display[] =>
  objectsIn(value, MAX_LANGUAGES).map((one) => {
    const [name, description] = [text(one.name, MAX_NAME), text(one.description, MAX_DESCRIPTION)];
    return {
      ...localeOf(one),
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
      ...colour('backgroundColor', one.background_color),
      ...colour('textColor', one.text_color),
    };
  });

const isStep = (step: unknown): boolean =>
  step === null || (typeof step === 'string' && step.length <= 500) || (Number.isSafeInteger(step) && (step as number) >= 0);

function labelOf({ path, display, mandatory }: Unknown): ClaimLabel | undefined {
  if (!Array.isArray(path) || path.length === 0 || path.length > MAX_PATH || !path.every(isStep)) return undefined;
  const names = localNames(display);
  return { path, ...(names.length === 0 ? {} : { names }), ...(mandatory === true ? { mandatory } : {}) };
}

/** Reads the description of a credential configuration. Drafts have it beside `credential_metadata`. */
export function descriptionOf(configuration: Unknown): Description {
  const { credential_metadata: metadata } = configuration;
  const { display, claims } = (typeof metadata === 'object' && metadata !== null ? metadata : {}) as Unknown;
  return {
    displays: displaysOf(display ?? configuration.display),
    labels: objectsIn(claims ?? configuration.claims, MAX_LABELS).flatMap((one) => labelOf(one) ?? []),
  };
}

t.name({ LocalName, Display, ClaimLabel });
