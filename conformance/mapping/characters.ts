// Compares the character classes of our regular expressions with Python's, for every character.
import { caseVariants, digit, space, word } from '../../src/identity/login/federation/mapping/regex/characters.ts';

interface KnownCharacters {
  readonly categories: Readonly<Record<'\\w' | '\\d' | '\\s', readonly number[]>>;
  /** Unknown to this Python's version of Unicode. */
  readonly unassigned: readonly number[];
  readonly alike: readonly (readonly [letter: number, same: readonly number[]])[];
}

const LAST = 0x10ffff;
const isSurrogate = (point: number): boolean => point >= 0xd800 && point <= 0xdfff;
const hex = (points: readonly number[]): string => points.map((point) => point.toString(16)).join(' ');

export function characterFaults({ categories, unassigned, alike }: KnownCharacters): { categories: string[]; alike: string[] } {
  const later = new Set(unassigned);
  const tests = { '\\w': word(false), '\\d': digit(false), '\\s': space(false) } as const;
  const wrong = Object.entries(tests).flatMap(([name, test]) => {
    const known = new Set(categories[name as keyof typeof tests]);
    const points = Array.from({ length: LAST + 1 }, (_, point) => point);
    const differing = points.filter((point) => !isSurrogate(point) && !later.has(point) && test(point) !== known.has(point));
    return differing.length === 0 ? [] : [`${name}: ${hex(differing.slice(0, 20))}`];
  });
  const unlike = alike.flatMap(([letter, same]) => {
    const variants = [...caseVariants(letter, false)].filter((point) => !later.has(point)).sort((a, b) => a - b);
    return hex(variants) === hex(same) ? [] : [`${hex([letter])}: Python has ${hex(same)}, we have ${hex(variants)}`];
  });
  return { categories: wrong, alike: unlike };
}
