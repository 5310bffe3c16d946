// Distinguished names (RFC 4514): a key for comparing them, and building one from parts.

const HEX_PAIR = /^[0-9A-Fa-f]{2}/;

interface Scan {
  readonly value: string;
  readonly end: number;
}

/** Reads a value from `at` up to the next unescaped `,`, `+` or `;`. */
function scanValue(text: string, at: number): Scan {
  const bytes: Buffer[] = [];
  let plainEnd = 0;
  let end = at;
  for (; end < text.length && !',+;'.includes(text[end]!); end++) {
    if (text[end] !== '\\') {
      const char = String.fromCodePoint(text.codePointAt(end)!);
      bytes.push(Buffer.from(char));
      if (char !== ' ') plainEnd = bytes.length;
      end += char.length - 1;
      continue;
    }
    const pair = HEX_PAIR.exec(text.slice(end + 1, end + 3))?.[0];
    bytes.push(pair ? Buffer.from(pair, 'hex') : Buffer.from(text[end + 1] ?? ''));
    plainEnd = bytes.length;
    end += pair ? 2 : 1;
  }
  // Unescaped spaces around a value are not part of it.
  return { value: Buffer.concat(bytes.slice(0, plainEnd)).toString('utf8').trimStart(), end };
}

const fold = (value: string): string => value.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ');

/** The same text for every spelling of a DN: case, spaces and escapes make no difference. */
export function dnKey(dn: string): string {
  const rdns: string[] = [];
  let parts: string[] = [];
  for (let at = 0; at < dn.length; ) {
    const equals = dn.indexOf('=', at);
    if (equals < 0) return `invalid ${fold(dn)}`;
    const type = dn.slice(at, equals).trim().toLowerCase();
    const { value, end } = scanValue(dn, equals + 1);
    parts.push(JSON.stringify([type, fold(value)]));
    if (dn[end] !== '+') {
      rdns.push(parts.sort().join('+'));
      parts = [];
    }
    at = end + 1;
  }
  return rdns.join(',');
}

/** Escapes a value for use in a DN. */
const escapeValue = (value: string): string =>
  value
    .replace(/[\\,+;<>"=#]/g, (char) => `\\${char}`)
    .replace(/\0/g, '\\00')
    .replace(/^ | $/g, '\\ ');

export const childOf = (parent: string, attribute: string, value: string): string =>
  `${attribute}=${escapeValue(value)},${parent}`;
