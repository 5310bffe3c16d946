// Descriptions are texts of a stranger that end up in a page.
import assert from 'node:assert/strict';
import { it } from 'node:test';
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
