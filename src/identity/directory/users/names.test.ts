import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lookalikeForm, nameProblem } from './names.ts';

describe('Names of users', () => {
  it('may be anything in ASCII, and words of any living script', () => {
    for (const name of [
      'admin',
      'John Doe',
      'john.doe+test@example.org',
      "O'Brien_2 (x) #1",
      'José Müller-Łukasz',
      'Jose\u0301',
      'Nguyễn Thị Minh',
      'Иван Петров',
      'иван@example.org',
      'Ελένη',
      'محمد',
      'שרה',
      '山田太郎',
      'ヤマダ タロウ',
      'やまだ太郎san',
      'ﾔﾏﾀﾞ',
      'ａｄｍｉｎ２',
      '김철수',
      'สมชาย',
      'สำราญ',
      'प्रिया',
      'தமிழ்',
      'Գևորգ',
      'გიორგი',
      'Gal·la'.replace('l·l', 'l\u00b7l'),
      'ᏣᎳᎩ',
    ])
      assert.equal(nameProblem(name), undefined, name);
  });

  it('have nothing that cannot be seen, or that turns the rest around', () => {
    for (const code of [
      0x200b, 0x200c, 0x200d, 0xfeff, 0x2060, 0xad, 0x202e, 0x2066, 0x200f, 0x61c, 0x34f, 0x115f, 0x3164, 0xe0061, 0xfe0f,
    ])
      assert.match(nameProblem(`ad${String.fromCodePoint(code)}min`) ?? 'fine', /^U\+/, code.toString(16));
    for (const code of [0xa0, 0x2003, 0x2028, 0x1680, 0x85, 0xe000, 0x378, 0x2800, 0x1f600, 0x2019, 0xfdd0])
      assert.match(nameProblem(`ad${String.fromCodePoint(code)}min`) ?? 'fine', /^U\+/, code.toString(16));
  });

  it('have no other form of a letter, no letters of another script in a word, no heap of marks', () => {
    for (const name of ['\u{1d41a}dmin', 'ﬁnn', 'Ⅳ', '①']) assert.match(nameProblem(name) ?? 'fine', /^U\+/, name);
    for (const name of ['аdmin', 'adмin', 'αdmin', 'раypal', 'Ꭺdmin', 'x.аdmin@example.org', '山д'])
      assert.match(nameProblem(name) ?? 'fine', /several scripts/, name);
    assert.match(nameProblem('\u0301a') ?? 'fine', /mark/);
    assert.match(nameProblem(`a${'\u0323'.repeat(6)}`) ?? 'fine', /mark/);
  });

  it('have the same form when they look alike, and only then', () => {
    for (const [one, other] of [
      ['cope', 'соре'],
      ['COPE', 'соре'],
      ['abce', 'АВСЕ'],
      ['paypal', 'раураl'],
      ['ADMIN', 'admin'],
      ['user1', 'userl'],
      ['ad\u200bmin', 'admin'],
      ['José', 'Jose\u0301'],
    ] as const)
      assert.equal(lookalikeForm(one), lookalikeForm(other), `${one} and ${other}`);
    for (const [one, other] of [
      ['müller', 'muller'],
      ['josé', 'jose'],
      ['иван', 'ivan'],
      ['山田', '田山'],
    ] as const)
      assert.notEqual(lookalikeForm(one), lookalikeForm(other), `${one} and ${other}`);
  });
});
