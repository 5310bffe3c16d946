// For any filter: the condition of the database and the check of each row together return what the filter matches.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import fc from 'fast-check';
import { assertOk } from '../../../../../test/support/answers.ts';
import { onEachDatabase } from '../../../../../test/support/api.ts';
import { BULK_REQUEST, connect, idsIn, type ScimClient, SEARCH, USER } from '../../../../../test/support/scim.ts';
import { userType } from '../core/definitions.ts';
import { matches, parseFilter } from '../core/filter.ts';

const RUNS = 60;
// Few values, so that filters match: in upper and lower case, with special letters and quotes, and empty.
const names = ['anna', 'BO', 'Straße', 'ΣΊΣΥΦΟΣ', 'ｗｉｄｅ', 'q"uote\\', "o'neil", '100%', 'a_b'];
const asked = [...names, 'ANNA', 'bo', 'STRASSE', 'σίσυφος', 'wide', 'an', '', '100', 'A_B', 'axb'];
const addresses = ['anna@example.com', 'Anna@Example.com', 'bo@example.com', 'STRASSE@example.com', 'straße@example.com', ''];
const kinds = ['work', 'home', 'Work'];
const titles = ['Guide', 'guide', 'Zoo', ''];

const pick = <T>(values: readonly T[], n: number): T => values[n % values.length]!;

/** Forty users that share values; the same in every run. */
const people = Array.from({ length: 40 }, (_, n) => ({
  schemas: [USER],
  userName: n < names.length ? names[n]! : `person ${pick(names, n)} ${n}`,
  ...(n % 3 === 0 ? {} : { externalId: pick(asked, n * 5) }),
  ...(n % 4 === 0 ? {} : { displayName: pick(names, n * 3) }),
  ...(n % 5 === 0 ? {} : { title: pick(titles, n) }),
  active: n % 3 !== 1,
  emails: Array.from({ length: n % 4 }, (_, m) => ({
    value: pick(addresses, n * 7 + m * 3),
    ...((n + m) % 3 === 0 ? {} : { type: pick(kinds, n + m) }),
    ...(m === 1 ? { primary: true } : {}),
  })),
}));

const quoted = (values: fc.Arbitrary<string>) => values.map((value) => JSON.stringify(value));
const operator = fc.constantFrom('eq', 'eq', 'eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le');
const comparison = (attribute: fc.Arbitrary<string>, values: fc.Arbitrary<string>) =>
  fc.tuple(attribute, operator, quoted(values)).map((parts) => parts.join(' '));

function filters(known: { readonly groups: readonly string[]; readonly times: readonly string[] }) {
  const word = fc.constantFrom(...asked);
  const address = fc.constantFrom(...addresses, 'nobody@example.com');
  const text = comparison(
    fc.constantFrom('userName', 'externalId', 'displayName', 'title', 'USERNAME'),
    fc.oneof(word, fc.constantFrom(...titles)),
  );
  const email = comparison(
    fc.constantFrom('emails.value', 'emails', 'emails.type'),
    fc.oneof(address, fc.constantFrom(...kinds)),
  );
  const inElement = fc.oneof(
    comparison(fc.constant('type'), fc.constantFrom(...kinds)),
    comparison(fc.constant('value'), address),
    fc.constantFrom('primary eq true', 'type pr', 'value pr', 'type eq null'),
  );
  const element = fc.oneof(
    inElement,
    fc.tuple(inElement, fc.constantFrom('and', 'or'), inElement).map((parts) => parts.join(' ')),
    inElement.map((inner) => `not (${inner})`),
  );
  const ofElement = fc.oneof(
    element.map((inner) => `emails[${inner}]`),
    fc.tuple(inElement, quoted(address)).map(([inner, value]) => `emails[${inner}].value eq ${value}`),
  );
  const time = comparison(fc.constant('meta.lastModified'), fc.constantFrom(...known.times));
  const group = comparison(
    fc.constantFrom('groups.value', 'groups'),
    fc.oneof(
      fc.constantFrom(...known.groups),
      fc.constantFrom(...known.groups).map((id) => id.toUpperCase()),
      fc.constant(''),
    ),
  );
  const flag = fc.constantFrom(
    'active eq true',
    'active eq false',
    'active ne true',
    'active eq "False"',
    'active pr',
    'emails pr',
    'title pr',
    'externalId pr',
    'externalId eq null',
    'displayName ne null',
    'groups pr',
    'nothing eq "x"',
    'nothing ne "x"',
  );
  const { filter } = fc.letrec<{ filter: string }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.oneof(text, email, ofElement, time, group, flag),
      fc.tuple(tie('filter'), fc.constantFrom('and', 'or', 'and'), tie('filter')).map(([a, word, b]) => `(${a}) ${word} (${b})`),
      fc.tuple(tie('filter'), fc.constantFrom('and', 'or'), tie('filter')).map((parts) => parts.join(' ')),
      tie('filter').map((inner) => `not (${inner})`),
    ),
  }));
  return filter;
}

onEachDatabase('SCIM filters of every kind', (api) => {
  let scim: ScimClient;
  let users: any[];
  let groups: string[];
  before(async () => {
    scim = (await connect(api)).scim;
    const operations = people.map((data, n) => ({ method: 'POST', path: '/Users', bulkId: `u${n}`, data }));
    const made = assertOk(await scim.post('/Bulk', { schemas: [BULK_REQUEST], Operations: operations }));
    assert.ok(
      made.Operations.every(({ status }: { status: string }) => status === '201'),
      JSON.stringify(made),
    );
    const ids = idsIn(await scim.list('/Users', { count: 1000 }));
    groups = [];
    for (const step of [2, 3, 7]) {
      const members = ids.filter((_, n) => n % step === 0).map((value) => ({ value }));
      groups.push((await scim.makeGroup({ members })).id);
    }
    users = (await scim.list('/Users', { count: 1000 })).Resources;
    assert.equal(users.length, people.length);
  });

  const times = (): string[] =>
    users.flatMap(({ meta }, n) => (n % 8 === 0 ? [meta.lastModified] : [])).concat('2001-01-01T00:00:00Z');

  it('find whom the filter says, no more and no fewer, in one page and in many', async () => {
    let findings = 0;
    const check = async (filter: string): Promise<void> => {
      const parsed = parseFilter(userType, filter);
      const expected = users.filter((user) => matches(parsed, user)).map(({ id }) => id);
      const search = async (query: Record<string, unknown>) =>
        assertOk(await scim.post('/Users/.search', { schemas: [SEARCH], filter, attributes: ['id'], ...query }));
      const whole = await search({ count: 1000 });
      assert.deepEqual(idsIn(whole), expected);
      assert.equal(whole.totalResults, expected.length);
      const page = await search({ startIndex: 2, count: 3 });
      assert.deepEqual([idsIn(page), page.totalResults], [expected.slice(1, 4), expected.length]);
      const cursored = await search({ cursor: '', count: 4 });
      assert.deepEqual([idsIn(cursored), 'nextCursor' in cursored], [expected.slice(0, 4), expected.length > 4]);
      const sorted = await search({ sortBy: 'title', count: 1000 });
      assert.deepEqual(idsIn(sorted).sort(), expected.toSorted());
      if (expected.length > 0 && expected.length < users.length) findings++;
    };
    // Rarely generated: the index has both values, but no single element does.
    const [one, other] = ['anna@example.com', 'straße@example.com'];
    const both = `emails.value eq "${one}" and emails.value eq "${other}"`;
    const examples: [string][] = [[both], [`emails[value eq "${one}" and value eq "${other}"]`], ['emails.value eq ""']];
    assert.ok(users.some((user) => matches(parseFilter(userType, both), user)));
    await fc.assert(fc.asyncProperty(filters({ groups, times: times() }), check), { numRuns: RUNS, examples });
    assert.ok(findings > RUNS / 4, `only ${findings} of the filters told users apart`);
  });
});
