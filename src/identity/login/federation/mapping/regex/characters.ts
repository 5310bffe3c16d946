// The character classes of Python's `re`: \w, \d, \s in Unicode and ASCII, and letters that are equal when case is ignored.

export type CharacterTest = (codePoint: number) => boolean;

const ASCII_END = 0x80;

/** Looks ASCII up in a table, which is faster. */
function test(pattern: RegExp): CharacterTest {
  const ascii = Uint8Array.from({ length: ASCII_END }, (_, code) => (pattern.test(String.fromCharCode(code)) ? 1 : 0));
  return (code) => (code < ASCII_END ? ascii[code] === 1 : pattern.test(String.fromCodePoint(code)));
}

const onlyAscii =
  (inner: CharacterTest): CharacterTest =>
  (code) =>
    code < ASCII_END && inner(code);

const isWord = test(/[\p{L}\p{N}_]/u);
const isDigit = test(/\p{Nd}/u);
// Python's str.isspace. Unlike JavaScript's \s it includes 1C to 1F and NEL, and excludes the byte order mark.
const isSpace = test(
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Python counts these as spaces
  /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/u,
);
const isAsciiSpace = test(/[\t-\r ]/u);

export const word = (ascii: boolean): CharacterTest => (ascii ? onlyAscii(isWord) : isWord);
export const digit = (ascii: boolean): CharacterTest => (ascii ? onlyAscii(isDigit) : isDigit);
export const space = (ascii: boolean): CharacterTest => (ascii ? onlyAscii(isAsciiSpace) : isSpace);
export const not =
  (inner: CharacterTest): CharacterTest =>
  (code) =>
    !inner(code);

const LAST_CASED = 0x1ffff;
const HAS_CASE = /[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]/u;
const DOTTED_CAPITAL_I = 'İ';

/** Equal for letters that Python treats as equal when case is ignored: their lower-case letters have the same upper case. */
function caseKey(letter: string): string {
  // Its lower case is i in Python, but i and a combining dot in JavaScript.
  const small = letter === DOTTED_CAPITAL_I ? 'i' : letter.toLowerCase();
  return small.toUpperCase();
}

let letters: ReadonlyMap<number, readonly number[]> | undefined;

/** Built on first use: it takes some milliseconds, and few expressions ignore case. */
function unicodeLetters(): ReadonlyMap<number, readonly number[]> {
  if (letters) return letters;
  const byKey = new Map<string, number[]>();
  for (let code = 0; code <= LAST_CASED; code += 1) {
    const letter = String.fromCodePoint(code);
    if (!HAS_CASE.test(letter)) continue;
    const key = caseKey(letter);
    const others = byKey.get(key);
    if (others) others.push(code);
    else byKey.set(key, [code]);
  }
  letters = new Map([...byKey.values()].flatMap((same) => same.map((code) => [code, same] as const)));
  return letters;
}

/** The character and all characters that differ from it only in case. */
export function caseVariants(code: number, ascii: boolean): readonly number[] {
  if (!ascii) return unicodeLetters().get(code) ?? [code];
  const other = code ^ 0x20;
  const isLetter = code < ASCII_END && /[A-Za-z]/.test(String.fromCharCode(code));
  return isLetter ? [code, other] : [code];
}
