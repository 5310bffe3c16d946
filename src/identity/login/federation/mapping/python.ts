// Python's repr() of a list of strings: the form in which Keystone inserts several values into a text.

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);
/** What Python does not print as it is. */
const HIDDEN = /[\p{C}\p{Z}]/u;

function escaped(character: string, quote: string): string {
  if (character === quote) return `\\${character}`;
  const known = ESCAPES.get(character);
  if (known !== undefined) return known;
  if (character === ' ' || !HIDDEN.test(character)) return character;
  const code = character.codePointAt(0)!;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

function pythonText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return quote + Array.from(text, (character) => escaped(character, quote)).join('') + quote;
}

export const pythonList = (texts: readonly string[]): string => `[${texts.map(pythonText).join(', ')}]`;
