// The languages: one table for each side, and in each language texts that fit the English ones.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { localeOf, LANGUAGES as tableOfBrowsers, textsIn, withEnglish } from '../console/shared/languages.ts';
import { loadSharedTexts } from '../console/shared/words/index.ts';
import { AREAS, reportOn, type Text, textsOf } from '../scripts/language-texts.ts';
import { inEveryLanguage, LANGUAGE_TABLE, LANGUAGE_TAGS, languageOf } from '../src/platform/languages/index.ts';

/** Values that are found again in what a text makes of them. */
const MARKS = ['⟦0⟧', '⟦1⟧', '⟦2⟧', '⟦3⟧'];
const marksIn = (text: string): string[] => [
  ...MARKS.filter((mark) => text.includes(mark)),
  ...(text.match(/\{\w+\}/g) ?? []).sort(),
];

/** What a text makes of the marks; undefined where it takes something else than text and numbers. */
function filled(text: Text): string | undefined {
  if (typeof text !== 'function') return typeof text === 'string' ? text : JSON.stringify(text);
  try {
    const made = text(...(MARKS as never[]));
    return typeof made === 'string' ? made : undefined;
  } catch {
    return undefined;
  }
}

describe('Languages', () => {
  it('are the same for the services and for browsers', () => {
    assert.deepEqual(tableOfBrowsers, LANGUAGE_TABLE);
    for (const tag of LANGUAGE_TAGS) assert.deepEqual(Intl.DateTimeFormat.supportedLocalesOf(localeOf(tag)), [localeOf(tag)]);
    assert.equal(localeOf('xx'), localeOf('en'));
  });

  it('are found by what a browser sends, and never by a name of our own objects', () => {
    const asked = [
      ['de-AT,en;q=0.5', 'de'],
      ['fr, ES;q=0.3, en;q=0.2', 'es'],
      ['de;q=0, en', 'en'],
      ['__proto__', 'en'],
      ['constructor', 'en'],
      ['', 'en'],
    ];
    for (const [header, language] of asked) assert.equal(languageOf(header), language, header);
    assert.equal(languageOf(undefined), 'en');
  });

  it('are read in English where they lack a text, at any depth', async () => {
    const english = { one: 'one', group: { two: 'two', inner: { say: (name: string) => `say ${name}` } }, pair: ['a', 'b'] };
    const written = { group: { two: 'zwei' }, pair: ['c'] };
    const whole = withEnglish(english, written);
    assert.deepEqual([whole.one, whole.group.two, whole.group.inner.say('x'), whole.pair], ['one', 'zwei', 'say x', ['c']]);
    const everywhere = inEveryLanguage({ en: english, es: english, de: written });
    assert.deepEqual([everywhere.de.one, everywhere.de.group.two, everywhere.es], ['one', 'zwei', english]);
    const loaded: string[] = [];
    const load = async (tag: string) => {
      loaded.push(tag);
      return tag === 'de' ? written : english;
    };
    assert.equal((await textsIn<typeof english>('de', load)).group.inner.say('x'), 'say x');
    await textsIn('es', load);
    await textsIn('../../etc', load);
    assert.deepEqual(loaded, ['de', 'en', 'es', 'en']);
  });

  for (const tag of LANGUAGE_TAGS)
    it(`${tag}: no text is empty or left over, and each uses the values of the English one`, async () => {
      await loadSharedTexts(tag);
      for (const { area, missing, left } of await reportOn(tag)) {
        assert.deepEqual(left, [], `${area} in ${tag}: not in English. npm run languages`);
        if (LANGUAGE_TABLE[tag].isComplete) assert.deepEqual(missing, [], area);
      }
      for (const area of Object.keys(AREAS)) {
        const english = await textsOf(area, 'en');
        for (const [name, text] of await textsOf(area, tag)) {
          const [original, here] = [filled(english.get(name)!), filled(text)];
          assert.equal(typeof text, typeof english.get(name), `${area}: ${name}`);
          assert.equal(here === undefined, original === undefined, `${area}: ${name}`);
          if (original === undefined || here === undefined) continue;
          assert.ok(here.trim() !== '' || original === here, `${area}: ${name} is empty`);
          assert.deepEqual(marksIn(here), marksIn(original), `${area}: ${name} uses other values than in English: ${here}`);
        }
      }
    });
});
