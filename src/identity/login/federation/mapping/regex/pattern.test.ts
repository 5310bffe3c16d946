import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Budget, parsePattern, RegexProblem } from './index.ts';

const points = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0)!);
const found = (pattern: string, text: string): boolean => parsePattern(pattern).search(points(text), new Budget(1e9));

/** A pattern, texts it is found in, texts it is not found in. */
type Row = readonly [pattern: string, inThese: readonly string[], notInThese: readonly string[]];

function hold(rows: readonly Row[]): void {
  for (const [pattern, inThese, notInThese] of rows) {
    for (const text of inThese) assert.equal(found(pattern, text), true, `${pattern} is in ${JSON.stringify(text)}`);
    for (const text of notInThese) assert.equal(found(pattern, text), false, `${pattern} is not in ${JSON.stringify(text)}`);
  }
}

describe('A regular expression', () => {
  it('is searched for anywhere', () => {
    hold([
      ['', ['', 'a'], []],
      ['b', ['b', 'abc'], ['', 'a']],
      ['a|bc|', ['', 'x'], []],
      ['a(b|c)d', ['xabd', 'acdx'], ['ad', 'abcd']],
      ['.*@example\\.com$', ['a@example.com'], ['a@example.com.evil', 'a@exampleXcom']],
    ]);
  });

  it('repeats', () => {
    hold([
      ['^a*$', ['', 'aaa'], ['ab']],
      ['^a+?$', ['a'], ['']],
      ['^a{2}$', ['aa'], ['a', 'aaa']],
      ['^a{1,2}$', ['a', 'aa'], ['', 'aaa']],
      ['^a{,2}$', ['', 'aa'], ['aaa']],
      ['^a{2,}$', ['aa', 'aaaa'], ['a']],
      ['^(ab){2}$', ['abab'], ['ab']],
      ['^(a?)*$', ['', 'aa'], ['b']],
      ['^(a|b*)*c$', ['c', 'abbac'], ['d']],
      ['^(?:)*a$', ['a'], ['']],
      ['a{}', ['a{}'], ['a']],
      ['a{x}', ['a{x}'], ['a']],
      ['a{1', ['a{1'], ['a']],
    ]);
  });

  it('knows places', () => {
    hold([
      ['^a$', ['a', 'a\n'], ['a\n\n', '\na', 'ba']],
      ['\\Aa\\Z', ['a'], ['a\n']],
      ['(?m)^a$', ['b\na\nc'], ['ba']],
      ['\\bcat\\b', ['a cat!', 'cat'], ['cats', 'écat']],
      ['(?a)\\bcat', ['écat'], ['acat']],
      ['\\Bat', ['cat'], ['at']],
      ['\\B', ['aa'], ['']],
    ]);
  });

  it('knows sets', () => {
    hold([
      ['^[a-c]$', ['b'], ['d', '']],
      ['^[^a-c]$', ['d', '\n'], ['a']],
      ['^[]a]$', [']', 'a'], ['b']],
      ['^[^]a]$', ['b'], [']']],
      ['^[a-]$', ['a', '-'], ['b']],
      ['^[-a]$', ['-'], ['b']],
      ['^[\\d\\-x]$', ['7', '-', 'x'], ['a']],
      ['^[\\W]$', ['-'], ['a']],
      ['^[\\b]$', ['\b'], ['b']],
      ['^[\\]\\\\]$', [']', '\\'], ['a']],
      ['^[a-cb-fz]$', ['f', 'z'], ['g', 'y']],
      ['^[^\\w\\W]$', [], ['a', '-']],
    ]);
  });

  it('knows escapes', () => {
    hold([
      ['^\\x41\\u00e9\\U0001f600$', ['Aé😀'], []],
      ['^\\101\\0$', ['A\0'], []],
      ['^\\.\\*\\/\\-\\@$', ['.*/-@'], []],
      ['^\\t\\n\\a$', ['\t\n\x07'], []],
      ['^\\d\\D\\s\\S\\w\\W$', ['1x x_-'], []],
    ]);
  });

  it('reads flags as Python does', () => {
    hold([
      ['(?i)admin', ['ADMIN', 'aDmin'], ['adm1n']],
      ['(?i)[A-C]x', ['bX'], ['dx']],
      ['(?i)[^a]', ['b'], ['A']],
      ['a(?i:b)c', ['aBc'], ['ABc', 'aBC']],
      ['(?i)a(?-i:b)', ['Ab'], ['aB']],
      ['a.b', ['axb'], ['a\nb']],
      ['(?s)a.b', ['a\nb'], []],
      ['(?x) a b # c\n d', ['abd'], ['a b']],
      ['(?x: a [ ] b )', ['a b'], ['ab']],
      ['(?#c)(?i)a(?#d)', ['A'], []],
      ['(?ai)É', ['É'], ['é']],
      ['(?i)(?u)É', ['é'], []],
    ]);
  });

  it('knows characters as Python does', () => {
    hold([
      ['^\\d$', ['٣', '7'], ['²']],
      ['(?a)^\\d$', ['7'], ['٣']],
      ['^\\w$', ['é', '漢', '²', '_'], ['\u0301', '-']],
      ['^\\s$', ['\u00a0', '\x1c', '\x85', '\u3000'], ['\ufeff', '\u200b']],
      ['(?i)^k$', ['K'], []],
      ['(?i)^s$', ['ſ', 'S'], []],
      ['(?i)^ß$', ['ẞ'], ['SS']],
      ['(?i)^i$', ['İ', 'ı', 'I'], []],
      ['(?i)^[à-ü]$', ['É'], ['e']],
      ['^.$', ['😀'], ['ab']],
    ]);
  });

  it('lookarounds ahead and behind', () => {
    hold([
      ['a(?=b)', ['ab'], ['ac', 'a']],
      ['a(?!b)', ['ac', 'a'], ['ab']],
      ['(?<=a)b', ['ab'], ['b', 'cb']],
      ['(?<!a)b', ['b', 'cb'], ['ab']],
      ['^(?!.*evil).*@', ['a@', 'x@b'], ['evil@', 'a@evil']],
      ['^(?=.*\\d)(?=.*[a-z]).{3,}$', ['a1x'], ['aaa', '111', 'a1']],
      ['(?<=^a|^b)c', ['ac', 'bc'], ['xac']],
      ['(?=(?:a|b?)*c)(?<=(?!x)a)', ['abc'], ['xbc']],
      ['(?<=(?=a)a)b', ['ab'], ['cb']],
    ]);
  });

  it('is refused when Python refuses it', () => {
    const refused = [
      '(',
      ')',
      'a)',
      '[',
      '[]',
      '[^]',
      '[b-a]',
      '[\\d-z]',
      '*',
      'a**',
      'a*{2}',
      'a{2,1}',
      '^*',
      '\\b+',
      '(?',
      '(?i',
      '(?P<',
      '(?P<1>a)',
    ];
    refused.push(
      '(?P<a>b)(?P<a>c)',
      '(?Pa)',
      '(?<a>b)',
      'a(?i)',
      '(?L)a',
      '(?au)a',
      '(?a)(?u)a',
      '(?-a:b)',
      '(?i-i:b)',
      '(?i-)',
      '(?-i)',
      '(?z)',
    );
    refused.push(
      '\\',
      '\\q',
      '\\x4',
      '\\u123',
      '\\U00110000',
      '[\\q]',
      '[\\8]',
      '[\\400]',
      '(?<=a*)b',
      '(?<=a|bc)d',
      '(?#',
      '(?x',
      '(?=a',
      'a|*',
      '\\400',
    );
    for (const pattern of refused) assert.throws(() => parsePattern(pattern), RegexProblem, pattern);
  });

  it('is refused when it cannot be searched for in bounded time, and says so', () => {
    for (const pattern of ['(a)\\1', '(?P<x>a)(?P=x)', '(a)?(?(1)b|c)', '(?>a)', 'a*+', 'a{1,2}+', '\\N{BULLET}'])
      assert.throws(() => parsePattern(pattern), /not supported/, pattern);
  });

  it('finds what JavaScript finds, where the two read the same', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      '(?:ab|b)',
      '(?:a*b)',
      '(?=b)',
      '(?!a)',
      '(?<=a)',
      '(?<!b)',
      '(?:a|(?:b|)a)',
      '\\b',
    );
    const part = fc
      .tuple(atom, fc.constantFrom('', '', '*', '+', '?', '{2}', '{0,2}', '{1,}'))
      .map(([single, times]) => (single.startsWith('\\b') ? single : `(?:${single})${times}`));
    const pattern = fc
      .tuple(fc.constantFrom('', '^'), fc.array(part, { maxLength: 5 }), fc.constantFrom('', '$'))
      .map(([start, parts, end]) => start + parts.join('') + end);
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 7 }).map((letters) => letters.join(''));
    fc.assert(
      fc.property(pattern, text, (source, searched) => {
        // An empty text has no boundary that is none; there is no \B here, and JavaScript agrees on \b.
        assert.equal(found(source, searched), new RegExp(source, 's').test(searched));
      }),
      { numRuns: 2000, seed: 19 },
    );
  });
});
