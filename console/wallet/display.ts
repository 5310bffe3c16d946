// Names, labels and values of credentials, in the reader's language. All of them are texts of issuers and verifiers.
import { settings } from '../shared/settings.ts';
import { readableText, shortened } from './strangers.ts';
import type { ClaimLabel, Credential, Display, LocalName, Logo, Path } from './types.ts';
import { isObject, readable } from './value-text.ts';
import { words } from './words/index.ts';

const MAX_NAME = 200;
const nameText = (text: string): string => shortened(readableText(text), MAX_NAME);

/** The entry in the reader's language; else the one without a language; else the English one, which most people can read; else the first. */
export function inLanguage<Entry extends { readonly locale?: string }>(entries: readonly Entry[]): Entry | undefined {
  const language = (one: Entry): string | undefined => one.locale?.toLowerCase().split('-', 1)[0];
  return (
    entries.find((one) => language(one) === settings.language) ??
    entries.find((one) => one.locale === undefined) ??
    entries.find((one) => language(one) === 'en') ??
    entries[0]
  );
}

/** What one entry does not say, such as its colour, another one may. */
const inLanguageWith = (displays: readonly Display[], name: keyof Display): Display | undefined =>
  inLanguage(displays.filter((one) => one[name] !== undefined));

export const descriptionOf = (displays: readonly Display[]): string | undefined =>
  inLanguageWith(displays, 'description')?.description;

/** A text colour is made for the background of its own entry. */
export const coloursOf = (displays: readonly Display[]): Pick<Display, 'backgroundColor' | 'textColor'> =>
  inLanguageWith(displays, 'backgroundColor') ?? {};

export const logoOf = (displays: readonly Display[]): Logo | undefined => inLanguageWith(displays, 'logo')?.logo;

/** Such as `membership` of `https://issuer.example/types/membership`. */
export const shortType = (type: string): string => type.split(/[/:#]/).filter(Boolean).at(-1) ?? type;

export const nameOf = (displays: readonly Display[], type: string): string =>
  nameText(inLanguageWith(displays, 'name')?.name ?? shortType(type));

export const titleOf = ({ displays, type }: Pick<Credential, 'displays' | 'type'>): string => nameOf(displays, type);

export function localName(names: readonly LocalName[]): string | undefined {
  const name = inLanguage(names)?.name;
  return name === undefined ? undefined : nameText(name);
}

/** Claims about the credential itself, not about its subject. The card shows them in its own way, or they are of no use to people. */
const TECHNICAL = new Set([
  ...['iss', 'iat', 'exp', 'nbf', 'jti', 'vct', 'vct#integrity', 'cnf', 'status', '_sd_alg', 'typ', '@context', 'type', 'id'],
  ...['issuer', 'issuanceDate', 'expirationDate', 'validFrom', 'validUntil', 'credentialStatus', 'credentialSchema', 'proof'],
]);

const samePath = (one: Path, other: Path): boolean =>
  one.length === other.length && one.every((step, at) => step === other[at] || step === null || other[at] === null);

const SUBJECTS: readonly Path[] = [['sub'], ['credentialSubject', 'id']];

/** An id by which the issuer knows the holder. It says nothing to people, so that cards leave it out. */
export const isSubject = (path: Path): boolean => SUBJECTS.some((one) => samePath(one, path));

/** What the issuer calls the claim; else the names of its path. */
export function labelOf(path: Path, labels: readonly ClaimLabel[]): string {
  const label = labels.find((one) => samePath(one.path, path));
  return (
    (label?.names && localName(label.names)) ??
    (isSubject(path)
      ? words.credentials.subject
      : nameText(
          path
            .filter((step) => step !== 'credentialSubject')
            .map(readable)
            .join(' › '),
        ))
  );
}

/** The value at a path; a list for `null`. */
export function valueAt(claims: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return claims;
  if (typeof claims !== 'object' || claims === null) return undefined;
  if (step === null) return (Array.isArray(claims) ? claims : []).map((one) => valueAt(one, rest));
  return Object.hasOwn(claims, step) ? valueAt((claims as Record<string | number, unknown>)[step], rest) : undefined;
}

export interface ClaimRow {
  readonly path: Path;
  readonly label: string;
  readonly value: unknown;
}

/** The claims of a credential, one row for each value, in the order of the issuer's labels (OID4VCI, appendix B.2). */
export function claimRows({ claims, labels }: Pick<Credential, 'claims' | 'labels'>): ClaimRow[] {
  const rows: ClaimRow[] = [];
  const visit = (value: unknown, path: Path): void => {
    if (isObject(value) && !labels.some((label) => samePath(label.path, path)))
      for (const [name, inner] of Object.entries(value)) visit(inner, [...path, name]);
    else rows.push({ path, label: labelOf(path, labels), value });
  };
  for (const [name, value] of Object.entries(claims)) if (!TECHNICAL.has(name)) visit(value, [name]);
  const rank = ({ path }: ClaimRow): number => {
    const at = labels.findIndex((label) => samePath(label.path, path));
    return at < 0 ? labels.length : at;
  };
  return rows.sort((one, other) => rank(one) - rank(other));
}
