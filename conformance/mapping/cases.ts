// Generates mappings and assertions from a seed.
import fc from 'fast-check';

export interface MappingCase {
  readonly rules: unknown;
  readonly version: string;
  readonly assertion: Readonly<Record<string, unknown>>;
}

const ATTRIBUTES = ['UserName', 'Email', 'Groups', 'Title'];
const attribute = fc.constantFrom(...ATTRIBUTES, ...ATTRIBUTES, 'Missing');
// No word contains "name" or a bracket, or is a group in JSON: see differences.ts.
const word = fc.constantFrom(
  'alice',
  'bob',
  'Admin',
  'staff',
  'dev-team',
  'ops',
  "o'neil",
  'a "b"',
  'é',
  'x@example.com',
  'tab\there',
  ' ',
);
const values = fc.uniqueArray(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(';'));
const asserted = fc.oneof(
  { weight: 12, arbitrary: values },
  { weight: 1, arbitrary: fc.constantFrom('', 'alice;', ';bob') },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 7, true, { a: 'b' }) },
);
const assertion = fc.record(Object.fromEntries(ATTRIBUTES.map((name) => [name, asserted])), {
  requiredKeys: ATTRIBUTES.slice(0, 3),
});

const expression = fc.constantFrom(
  '^a',
  'e$',
  '.*team',
  '(?i)ADMIN',
  '[aeiou]{2}',
  '^.*@example\\.com$',
  '^$',
  '\\W',
  'o(?=b)',
  '(?<!a)b',
  '',
);
const condition = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        fc.constantFrom('any_one_of', 'not_any_of', 'whitelist', 'blacklist'),
        fc.array(word, { maxLength: 4 }),
        fc.constantFrom({}, { regex: false }),
      )
      .map(([kind, words, regex]) => ({ [kind]: words, ...regex })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('any_one_of', 'not_any_of', 'whitelist', 'blacklist'), fc.array(expression, { maxLength: 3 }))
      .map(([kind, words]) => ({ [kind]: words, regex: true })),
  },
);
const requirement = fc.tuple(attribute, condition).map(([type, rest]) => ({ type, ...rest }));

/** `count` is the number of values. A placeholder without a value is rare. */
const templateFor = (count: number, mayMiss: boolean): fc.Arbitrary<string> => {
  const number = fc.oneof(
    { weight: 500, arbitrary: fc.nat({ max: Math.max(0, count - 1) }) },
    { weight: count === 0 || !mayMiss ? 0 : 1, arbitrary: fc.constant(count) },
  );
  const place = count === 0 ? fc.constantFrom('x', '{{y}}') : number.map((n) => `{${n}}`);
  return fc.oneof(
    { weight: 5, arbitrary: place },
    { weight: 2, arbitrary: fc.tuple(place, place).map(([a, b]) => `${a} ${b}`) },
    { weight: 1, arbitrary: place.map((text) => `team-${text}`) },
    { weight: 1, arbitrary: fc.constantFrom('fixed', '{{0}}', '') },
    { weight: count === 1 ? 1 : 0, arbitrary: fc.constant('{}') },
  );
};

const domainFor = (template: fc.Arbitrary<string>): fc.Arbitrary<object> =>
  fc.oneof(
    fc.constant({ id: 'd1' }),
    fc.constant({ name: 'Default' }),
    fc.record({ id: template }),
    fc.record({ name: template, id: template }),
  );

function localFor(version: string, count: number, jsonNumber: number): fc.Arbitrary<object> {
  const template = templateFor(count, jsonNumber < 0);
  const domain = domainFor(template);
  const user = fc.record(
    { id: template, name: template, email: template, domain, type: fc.constantFrom('ephemeral', 'local') },
    { requiredKeys: [] },
  );
  const group = fc.oneof(fc.record({ id: template }), fc.record({ name: template, domain }));
  const project = fc.record(
    {
      name: template,
      roles: fc.array(fc.record({ name: template }), { maxLength: 2 }),
      ...(version === '1.0' ? {} : { domain }),
    },
    { requiredKeys: ['name', 'roles'] },
  );
  // Not two placeholders: if the second value is blank, Keystone treats the first as a list.
  const list = fc.oneof(
    { weight: 6, arbitrary: template.filter((text) => !text.includes('} {')) },
    { weight: 1, arbitrary: fc.constantFrom('[\'one\', "two"]', '[]', "['one',]") },
  );
  const parts = {
    user,
    group,
    groups: list,
    group_ids: list,
    domain,
    projects: fc.array(project, { maxLength: 2 }),
    ...(jsonNumber < 0 ? {} : { projects_json: fc.constantFrom(`{${jsonNumber}}`, String(jsonNumber)) }),
  };
  // Groups need a domain, so most entries have one.
  return fc.oneof(
    { weight: 6, arbitrary: fc.record(parts, { requiredKeys: ['domain'] }) },
    {
      weight: 6,
      arbitrary: fc
        .record({ ...parts, groups: fc.constant(undefined) }, { requiredKeys: [] })
        .map(({ groups: _, ...rest }) => rest),
    },
    { weight: 1, arbitrary: fc.record(parts, { requiredKeys: [] }) },
  );
}

const JSON_ATTRIBUTE = 'Projects';
const isFill = (requirement: object): boolean => !('any_one_of' in requirement) && !('not_any_of' in requirement);

const ruleFor = (version: string): fc.Arbitrary<object> =>
  fc
    .tuple(fc.array(requirement, { minLength: 1, maxLength: 3 }), version === '3.0' ? fc.boolean() : fc.constant(false))
    .chain(([requirements, hasJson]) => {
      const remote = hasJson ? [...requirements, { type: JSON_ATTRIBUTE }] : requirements;
      const count = remote.filter(isFill).length;
      // The JSON is the last value. Texts do not use it, because it contains brackets.
      const texts = hasJson ? count - 1 : count;
      return fc.record({
        remote: fc.constant(remote),
        local: fc.array(localFor(version, texts, hasJson ? texts : -1), { maxLength: 3 }),
      });
    });

const role = fc.record({ name: fc.constantFrom('reader', 'member') });
const jsonProject = fc.record(
  { name: word, roles: fc.array(role, { maxLength: 2 }), domain: fc.constantFrom({ id: 'd2' }, { name: 'Other' }) },
  { requiredKeys: ['name', 'roles'] },
);
const projectsJson = fc.oneof(
  { weight: 6, arbitrary: fc.array(jsonProject, { maxLength: 2 }).map((projects) => JSON.stringify(projects)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '[{"name": "a"}]',
      '{}',
      '[1]',
      '"a"',
      '[{"name": "a", "roles": [], "more": 1}]',
      '[{"name": 1, "roles": []}]',
    ),
  },
);

const mappingCase: fc.Arbitrary<MappingCase> = fc.constantFrom('1.0', '2.0', '3.0').chain((version) =>
  fc.record({
    version: fc.constant(version),
    rules: fc.array(ruleFor(version), { minLength: 1, maxLength: 3 }),
    assertion: fc.tuple(assertion, projectsJson).map(([attributes, json]) => ({ ...attributes, [JSON_ATTRIBUTE]: json })),
  }),
);

export const mappingCases = (seed: number, count: number): MappingCase[] => fc.sample(mappingCase, { seed, numRuns: count });

type Path = readonly (string | number)[];

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key]))];
}

function changed(value: unknown, [key, ...rest]: Path, change: (value: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  const copy: any = Array.isArray(value) ? [...value] : { ...(value as object) };
  const inner = changed(copy[key], rest, change);
  if (inner !== undefined) copy[key] = inner;
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else delete copy[key];
  return copy;
}

/** Changes of one place: remove it, replace it by another type, or add a property. */
const CHANGES: readonly ((value: unknown) => unknown)[] = [
  () => undefined,
  () => 1,
  () => null,
  () => 'text',
  () => [],
  () => ({}),
  () => true,
  (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, more: 'x' } : { more: 'x' }),
  (value) => (typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, id: 'x' } : ['x']),
];

const brokenCase: fc.Arbitrary<MappingCase> = fc
  .tuple(
    mappingCase,
    fc.nat(),
    fc.constantFrom(...CHANGES),
    fc.oneof({ weight: 20, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.constantFrom('1.0', '', '4.0', '1') }),
  )
  .map(([base, at, change, version]) => {
    const paths = pathsOf(base.rules);
    return { ...base, version: version ?? base.version, rules: changed(base.rules, paths[at % paths.length]!, change) ?? [] };
  });

export const brokenCases = (seed: number, count: number): MappingCase[] => fc.sample(brokenCase, { seed, numRuns: count });
