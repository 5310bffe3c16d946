// Distinguished names as text (RFC 4514), compared with the subject of a certificate.
import type { Name } from '@peculiar/asn1-x509';

/** Attribute types by their short names (RFC 4514, 3, and those that tools write). */
const TYPES: Readonly<Record<string, string>> = {
  CN: '2.5.4.3',
  SERIALNUMBER: '2.5.4.5',
  C: '2.5.4.6',
  L: '2.5.4.7',
  ST: '2.5.4.8',
  STREET: '2.5.4.9',
  O: '2.5.4.10',
  OU: '2.5.4.11',
  ORGANIZATIONIDENTIFIER: '2.5.4.97',
  UID: '0.9.2342.19200300.100.1.1',
  DC: '0.9.2342.19200300.100.1.25',
  EMAILADDRESS: '1.2.840.113549.1.9.1',
  E: '1.2.840.113549.1.9.1',
};
const OID = /^\d+(?:\.\d+)+$/;
/** A part up to a comma that is not escaped. Names with several values in one part (+) are not supported. */
const PART = /^ *([A-Za-z][\w-]*|\d+(?:\.\d+)+) *= *((?:[^,+"\\;<>]|\\[0-9A-Fa-f]{2}|\\[^0-9A-Fa-f])*)(,|$)/;

type Attribute = readonly [type: string, value: string];

/** `\2C` is a byte of UTF-8, `\,` the character itself. */
function unescaped(text: string): string {
  const bytes = [...text.matchAll(/\\([0-9A-Fa-f]{2})|\\?([\s\S])/gu)].map(([, hex, character]) =>
    hex === undefined ? Buffer.from(character!) : Buffer.from(hex, 'hex'),
  );
  return Buffer.concat(bytes).toString();
}

/** Undefined if it cannot be read. In the order of the text, which is the reverse of that in the certificate. */
function read(text: string): Attribute[] | undefined {
  const attributes: Attribute[] = [];
  for (let rest = text; rest !== ''; ) {
    const [whole = '', name = '', value = '', end = ''] = PART.exec(rest) ?? [];
    const type = OID.test(name) ? name : TYPES[name.toUpperCase()];
    const trimmed = value.replace(/(?<!\\) +$/, '');
    if (type === undefined || trimmed === '' || trimmed.startsWith('#')) return undefined;
    attributes.push([type, unescaped(trimmed)]);
    rest = rest.slice(whole.length);
    if (end === ',' && rest === '') return undefined;
  }
  return attributes.length > 0 ? attributes : undefined;
}

/** Whether a text can be compared with subjects. */
export const isDistinguishedName = (text: string): boolean => read(text) !== undefined;

/** Whether it is exactly this subject: all of its parts, in this order, letter by letter. */
export function isSubject(text: string, subject: Name): boolean {
  const expected = read(text)?.reverse();
  return (
    expected?.length === subject.length &&
    expected.every(([type, value], at) => {
      const [attribute, ...others] = subject[at]!;
      return others.length === 0 && attribute?.type === type && attribute.value.toString() === value;
    })
  );
}
