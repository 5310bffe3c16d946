// Descriptions are texts of a stranger that end up in a page.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { png } from '../../../test/support/pictures.ts';
import { descriptionOf } from './display.ts';

it('leaves out what cannot be displayed safely', () => {
  const { displays, labels } = descriptionOf({
    credential_metadata: {
      display: [
        {
          name: `\u202eevil\u0007 ${'x'.repeat(500)}`,
          locale: '"><script>',
          background_color: 'url(https://evil.example/)',
          text_color: 'red;background:url(//evil.example)',
          description: 7,
          logo: { uri: 'https://evil.example/pixel.png' },
        },
        'text',
        null,
        ['name'],
        { name: ' \u0000 ', background_color: '#12345' },
        ...Array.from({ length: 50 }, () => ({ name: 'again' })),
      ],
      claims: [
        { path: [] },
        { path: 'given_name' },
        { path: [{}] },
        { path: ['x'.repeat(501)] },
        { path: [-1] },
        { path: Array.from({ length: 33 }, () => 'deep') },
        7,
        { path: ['a', 0, null], display: [{ name: {} }, { name: 'A', locale: 'x'.repeat(40) }], mandatory: 'yes' },
        ...Array.from({ length: 500 }, () => ({ path: ['b'] })),
      ],
    },
  });
  assert.deepEqual(Object.keys(displays[0]!), ['name']);
  assert.match(displays[0]!.name!, /^evil {2}x{150,}$/);
  assert.equal(displays[0]!.name!.length, 200);
  assert.deepEqual(displays[1], {});
  assert.ok(displays.length <= 20);
  assert.deepEqual(labels[0], { path: ['a', 0, null], names: [{ name: 'A' }] });
  assert.ok(labels.length <= 200);
});

const logoOf = (uri: unknown, more: object = {}) =>
  descriptionOf({ credential_metadata: { display: [{ name: 'Card', logo: { uri, ...more } }] } }).displays[0]!.logo;
const dataOf = (bytes: Buffer, type = 'image/png'): string => `data:${type};base64,${bytes.toString('base64')}`;

it('keeps a logo only if it is in the metadata and a small picture, whatever it calls itself', () => {
  const picture = png(4);
  const script = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  assert.deepEqual(logoOf(dataOf(picture), { alt_text: '\u202eA logo\u0007' }), { uri: dataOf(picture), text: 'A logo' });
  assert.equal(logoOf(dataOf(picture, 'image/jpeg'))!.uri, dataOf(picture), 'by its content');
  assert.equal(logoOf(dataOf(Buffer.concat([picture, script])))!.uri, dataOf(picture), 'what is hidden behind it is cut off');
  for (const refused of [
    'https://evil.example/pixel.png',
    '//evil.example/pixel.png',
    'javascript:alert(1)',
    dataOf(script, 'image/svg+xml'),
    dataOf(script),
    `data:image/png,${encodeURIComponent(script.toString())}`,
    `${dataOf(picture)}" onerror="alert(1)`,
    dataOf(png(1, 60_000)),
    dataOf(Buffer.concat([picture, Buffer.alloc(60_000)])),
    'data:image/png;base64,',
    7,
    {},
  ])
    assert.equal(logoOf(refused), undefined, String(refused).slice(0, 60));
  const many = Array.from({ length: 20 }, (_, at) => ({ name: `${at}`, logo: { uri: dataOf(png(at % 2 === 0 ? 4 : 4 + at)) } }));
  const { displays } = descriptionOf({ display: many });
  assert.equal(displays.length, 20);
  assert.equal(displays.filter(({ logo }) => logo).length, 11, 'the same one is kept once');
});

it('reads colours in the numbers of CSS only', () => {
  const colours = (background_color: unknown) => descriptionOf({ display: [{ background_color }] }).displays[0]!.backgroundColor;
  assert.equal(colours('rgb(18, 16,124)'), '#12107c');
  for (const odd of ['rgb(300, 0, 0)', 'rgb(1,2,3);x', 'red', 'var(--paper)', 'rgb(1 2 3 / 0%)', ['#000000'], '#0000000'])
    assert.equal(colours(odd), undefined, String(odd));
});

it('cuts names that cover what is around them', () => {
  const name = (text: string) => descriptionOf({ display: [{ name: text }] }).displays[0]!.name;
  assert.equal(name(`Z${'\u0301'.repeat(500)}!`), `Z${'\u0301'.repeat(4)}!`);
  assert.equal(name('\u2066\u200f\u{e0041}'), undefined);
  assert.equal(name(`${'x'.repeat(199)}😀`)?.isWellFormed(), true);
});

it('reads the form of drafts, and copes with anything', () => {
  const { displays, labels } = descriptionOf({ display: [{ name: 'Card' }], claims: [{ path: ['a'] }] });
  assert.deepEqual([displays, labels], [[{ name: 'Card' }], [{ path: ['a'] }]]);
  for (const odd of [
    undefined,
    null,
    7,
    'text',
    [],
    {},
    { display: 7, claims: { given_name: {} } },
    { display: {}, claims: null },
  ])
    assert.deepEqual(descriptionOf({ credential_metadata: odd }), { displays: [], labels: [] });
});
