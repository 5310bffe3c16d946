// Expressions that match one character: a literal, a dot, a set in brackets.
import { type CharacterTest, caseVariants } from './characters.ts';

export interface Flags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly verbose: boolean;
  readonly ascii: boolean;
}

const NEWLINE = 10;

export const dot = ({ dotAll }: Flags): CharacterTest => (dotAll ? () => true : (code) => code !== NEWLINE);

export function literal(wanted: number, { ignoreCase, ascii }: Flags): CharacterTest {
  const variants = ignoreCase ? caseVariants(wanted, ascii) : [wanted];
  return variants.length === 1 ? (code) => code === wanted : (code) => variants.includes(code);
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** An item of a set: a range of characters, or a category such as \d. */
export type SetItem = Range | { readonly category: CharacterTest; readonly letter: string };

export function set(items: readonly SetItem[], negative: boolean, { ignoreCase, ascii }: Flags): CharacterTest {
  const ranges = merged(items.filter((item) => 'from' in item));
  // A category that is written many times is tested only once.
  const categories = [...new Map(items.flatMap((item) => ('from' in item ? [] : [[item.letter, item.category]]))).values()];
  const inRange = (code: number): boolean => isWithin(ranges, code);
  // Only ranges need this: categories contain both cases of a letter, or neither.
  const inRanges = ignoreCase ? (code: number) => caseVariants(code, ascii).some(inRange) : inRange;
  return (code) => (inRanges(code) || categories.some((category) => category(code))) !== negative;
}

/** Sorted and without overlaps, for a binary search: a long set must not make each step slow. */
function merged(ranges: readonly Range[]): readonly Range[] {
  const result: Range[] = [];
  for (const { from, to } of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last && from <= last.to + 1) result[result.length - 1] = { from: last.from, to: Math.max(last.to, to) };
    else result.push({ from, to });
  }
  return result;
}

function isWithin(ranges: readonly Range[], code: number): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]!.to < code) low = middle + 1;
    else high = middle;
  }
  return low < ranges.length && ranges[low]!.from <= code;
}
