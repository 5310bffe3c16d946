// How an issuer describes its credentials (OID4VCI, 12.2.4): names, colours, logos and labels of claims, in several languages. They are
// of a stranger, so only what can be displayed safely is kept.
import { type Static, t } from '../../platform/http/index.ts';
import { displayText } from './display-text.ts';
import { Logo, logoOf, MAX_LOGO_LENGTH } from './logo.ts';

const MAX_LANGUAGES = 20;
const MAX_LABELS = 200;
const MAX_PATH = 32;
const MAX_NAME = 200;
const MAX_DESCRIPTION = 1000;
/** All logos of one description together: they are stored with each credential. */
const MAX_LOGOS_LENGTH = 2 * MAX_LOGO_LENGTH;
const COLOUR = '^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$';
const RGB = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/;
/** A language tag, such as `es` or `es-ES`. */
const LOCALE = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/;
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
    logo: Logo,
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

const localeOf = ({ locale }: Unknown): { locale?: string } =>
  typeof locale === 'string' && locale.length <= 35 && LOCALE.test(locale) ? { locale } : {};

/** As CSS writes colours in numbers: `#12107c`, `rgb(18, 16, 124)`. */
function hexOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (new RegExp(COLOUR).test(value)) return value;
  const channels = RGB.exec(value)?.slice(1).map(Number);
  if (!channels || channels.some((one) => one > 255)) return undefined;
  return `#${channels.map((one) => one.toString(16).padStart(2, '0')).join('')}`;
}

function colour(name: 'backgroundColor' | 'textColor', value: unknown): Display {
  const hex = hexOf(value);
  return hex === undefined ? {} : { [name]: hex };
}

/** Languages mostly have the same logo, which is kept once. */
function withFewLogos(displays: readonly Display[]): Display[] {
  const kept: string[] = [];
  return displays.map(({ logo, ...rest }) => {
    if (!logo || kept.includes(logo.uri) || [...kept, logo.uri].join('').length > MAX_LOGOS_LENGTH) return rest;
    kept.push(logo.uri);
    return { ...rest, logo };
  });
}

/** One name for each language. */
export const localNames = (value: unknown): LocalName[] =>
  objectsIn(value, MAX_LANGUAGES).flatMap((one) => {
    const name = displayText(one.name, MAX_NAME);
    return name === undefined ? [] : { ...localeOf(one), name };
  });

function displayOf(one: Unknown): Display {
  const [name, description] = [displayText(one.name, MAX_NAME), displayText(one.description, MAX_DESCRIPTION)];
  const logo = logoOf(one.logo);
  return {
    ...localeOf(one),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...colour('backgroundColor', one.background_color),
    ...colour('textColor', one.text_color),
    ...(logo ? { logo } : {}),
  };
}

export const displaysOf = (value: unknown): Display[] => withFewLogos(objectsIn(value, MAX_LANGUAGES).map(displayOf));

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

const keyOf = ({ path }: ClaimLabel): string => JSON.stringify(path);

/** What one description says and, where it is silent, another one. */
export function completed(one: Description, other: Description): Description {
  const others = new Map(other.labels.map((label) => [keyOf(label), label]));
  const known = new Set(one.labels.map(keyOf));
  const named = one.labels.map((label) => {
    const names = [...(label.names ?? []), ...(others.get(keyOf(label))?.names ?? [])].slice(0, MAX_LANGUAGES);
    return { ...label, ...(names.length === 0 ? {} : { names }) };
  });
  return {
    displays: withFewLogos([...one.displays, ...other.displays].slice(0, MAX_LANGUAGES)),
    labels: [...named, ...other.labels.filter((label) => !known.has(keyOf(label)))].slice(0, MAX_LABELS),
  };
}

t.name({ LocalName, Display, ClaimLabel });
