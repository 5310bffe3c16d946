// Generates regular expressions: from the grammar, so that most are valid, and from random pieces, so that many are not.
import fc from 'fast-check';
import { Budget, parsePattern, RegexProblem } from '../../src/identity/login/federation/mapping/regex/index.ts';

const letter = fc.constantFrom('a', 'b', 'B', 'é', '1', '-', '_', '@', ' ', '\n', 'ß', 's', 'ſ', 'K', '😀', '\\.', '\\-', '\\@');
const escapes = fc.constantFrom(
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '\\n',
  '\\t',
  '\\x61',
  '\\u00e9',
  '\\U0001f600',
  '\\101',
  '\\0',
);
const places = fc.constantFrom('^', '$', '\\A', '\\Z', '\\b', '\\B');
const setItem = fc.oneof(
  letter.filter((text) => text !== '-'),
  fc.constantFrom('a-c', 'A-Z', '0-9', '\\d', '\\w', '\\s', '\\W', '-', '\\]', '\\b', '\\x62', 'à-ü'),
);
const set = fc
  .tuple(fc.constantFrom('', '^'), fc.array(setItem, { minLength: 1, maxLength: 3 }))
  .map(([negative, items]) => `[${negative}${items.join('')}]`);
const times = fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{1,3}', '{,2}', '{2,}', '{0,2}?', '{,}');

const tree = fc.letrec<{ choice: string; sequence: string; part: string; single: string }>((tie) => ({
  choice: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((options) => options.join('|')),
  sequence: fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
  part: fc.oneof(
    { maxDepth: 4 },
    { weight: 4, arbitrary: tie('single') },
    { weight: 1, arbitrary: places },
    {
      weight: 2,
      arbitrary: fc.tuple(tie('single'), times).map(([single, count]) => single + count),
    },
  ),
  single: fc.oneof(
    { maxDepth: 4 },
    { weight: 5, arbitrary: letter },
    { weight: 1, arbitrary: escapes },
    { weight: 1, arbitrary: fc.constant('.') },
    { weight: 2, arbitrary: set },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom('(', '(?:', '(?=', '(?!', '(?<=', '(?<!', '(?i:', '(?s:', '(?a:', '(?-i:', '(?m:', '(?x:'),
          tie('choice'),
        )
        .map(([open, inner]) => `${open}${inner})`),
    },
  ),
}));

const wellFormed = fc
  .tuple(fc.constantFrom('', '', '', '(?i)', '(?m)', '(?s)', '(?a)', '(?x)', '(?im)', '(?i)(?s)', '(?ia)'), tree.choice)
  .map(([flags, pattern]) => flags + pattern);

const PIECES = [
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '*',
  '+',
  '?',
  '|',
  '^',
  '$',
  '.',
  '\\',
  '-',
  ',',
  ':',
  '=',
  '!',
  '<',
  '>',
  'P',
  'a',
  'b',
  'i',
  'x',
];
const randomPieces = fc
  .array(
    fc.constantFrom(...PIECES, '0', '1', '2', '(?', '(?P<a>', '(?i)', '(?#', '\\b', '\\Z', '\\x', '\\8', '{1,2}', '[^', '#', ' '),
    { maxLength: 9 },
  )
  .map((pieces) => pieces.join(''));

const text = fc
  .array(
    fc.constantFrom(
      'a',
      'a',
      'b',
      'B',
      'A',
      'é',
      'É',
      '1',
      '-',
      '_',
      '@',
      ' ',
      '\n',
      'ß',
      's',
      'S',
      'ſ',
      'K',
      'k',
      '😀',
      '.',
      '{',
      ']',
    ),
    { maxLength: 8 },
  )
  .map((letters) => letters.join(''));

export interface PatternCase {
  readonly pattern: string;
  readonly texts: readonly string[];
}

const texts = fc.array(text, { minLength: 12, maxLength: 12 });

export function patternCases(seed: number, count: number): PatternCase[] {
  const made = (pattern: fc.Arbitrary<string>, runs: number): PatternCase[] =>
    fc.sample(fc.record({ pattern, texts }), { seed, numRuns: runs });
  return [...made(wellFormed, count), ...made(randomPieces, count)];
}

const UNSUPPORTED = /possessive quantifiers|atomic groups|back-references|conditional groups|character names/;

/** The outcome for an expression and its texts; false for a disagreement. */
export function searched({ pattern, texts: all }: PatternCase, answer: any): string | false {
  if (answer.timeout) return 'not compared: Python took more than 2 seconds';
  let found: boolean[];
  try {
    const parsed = parsePattern(pattern);
    const steps = new Budget(Number.POSITIVE_INFINITY);
    found = all.map((one) =>
      parsed.search(
        Array.from(one, (letter) => letter.codePointAt(0)!),
        steps,
      ),
    );
  } catch (error) {
    if (!(error instanceof RegexProblem)) throw error;
    if (answer.invalid !== undefined) return 'the same: refused';
    return UNSUPPORTED.test(error.message) && 'difference: not supported';
  }
  return JSON.stringify(found) === JSON.stringify(answer.found) && `the same: searched for in ${all.length} texts`;
}
