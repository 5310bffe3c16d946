// What is acceptable as a name, a language or a time zone of a person: from the person, and from those who manage users.

const MAX_NAME = 100;

/** Control characters and marks that turn the direction of writing would also change the text around a name. */
export const isPersonName = (text: string): boolean =>
  text.length <= MAX_NAME && !/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text);

/** Zones by offset, such as `+02:00`, know no summer time. */
export function isZone(zone: string): boolean {
  try {
    return /^[A-Za-z]/.test(zone) && new Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}

/** A tag of BCP 47, such as `es` or `pt-BR`. */
export function isLanguage(tag: string): boolean {
  try {
    return tag.length <= 64 && Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

const CHECKS: Readonly<Record<string, readonly [isGood: (text: string) => boolean, why: string]>> = {
  given_name: [isPersonName, 'it must have 100 characters at most, without control characters'],
  family_name: [isPersonName, 'it must have 100 characters at most, without control characters'],
  language: [isLanguage, 'it must be a language tag of BCP 47, such as es or pt-BR'],
  zoneinfo: [isZone, 'it must be a time zone of the IANA database, such as Europe/Madrid'],
};

/** Of the attributes of a request the first that is a text and not acceptable. One that is as before stays. */
export function wrongAttributeIn(
  body: Readonly<Record<string, unknown>>,
  before: (name: string) => unknown,
): { readonly field: string; readonly why: string } | undefined {
  for (const [field, [isGood, why]] of Object.entries(CHECKS)) {
    const value = body[field];
    if (typeof value === 'string' && value !== '' && value !== before(field) && !isGood(value)) return { field, why };
  }
  return undefined;
}
