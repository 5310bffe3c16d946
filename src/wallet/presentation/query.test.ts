// What answers a query: the examples of OpenID4VP 1.0 (sections 6 and 7, appendices B and D), against credentials of every format.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CredentialCandidate, StoredCredentials } from '../credentials/index.ts';
import type { ClaimPath } from './claims.ts';
import { chooseQueries, createMatcher, isRequired, parseQuery } from './query.ts';

const caller = { userId: 'me', owner: 'me', requestId: null, isAdministrator: false };

interface Credential {
  readonly format?: string;
  readonly type?: string;
  readonly types?: readonly string[];
  readonly claims: object;
  readonly binding?: string;
  readonly authorityKeyIds?: readonly string[];
  readonly status?: 'valid' | 'unknown';
}

/** A wallet with these credentials, newest first. */
function holding(credentials: Readonly<Record<string, Credential>>) {
  const all = Object.entries(credentials).map(
    ([id, { format = 'dc+sd-jwt', type, types, claims, binding = 'jwk', authorityKeyIds = [] }]) => ({
      row: { id, type: type ?? types!.at(-1)!, binding },
      content: { types: types ?? [type], claims, didUrl: 'did:example:me#0' },
      format,
      authorityKeyIds,
    }),
  ) as unknown as CredentialCandidate[];
  const storedCredentials = {
    async *candidates(
      _: unknown,
      { format, types, only }: { format: string; types?: readonly string[]; only?: readonly string[] },
    ) {
      for (const one of all) {
        if (one.format !== format || (types && !types.includes(one.row.type)) || (only && !only.includes(one.row.id))) continue;
        yield one;
      }
    },
    presentationStatusOf: async ({ row }: CredentialCandidate) => credentials[row.id]!.status ?? 'valid',
  } as unknown as StoredCredentials;
  const matcher = createMatcher({ storedCredentials });
  return async (raw: object): Promise<Record<string, Record<string, readonly ClaimPath[]>> | undefined> => {
    const query = await parseQuery(raw);
    const results = await matcher.match(caller, query, {}, true, { names: () => true, reads: async () => true });
    return chooseQueries(query, results, [])?.reduce<Record<string, Record<string, readonly ClaimPath[]>>>((shown, id) => {
      const { matches } = results.find((one) => one.id === id)!;
      shown[id] = Object.fromEntries(matches.map(({ candidate, paths }) => [candidate.row.id, paths]));
      return shown;
    }, {});
  };
}

describe('A credential whose status nobody could look up', () => {
  const asked = {
    credentials: [{ id: 'id', format: 'dc+sd-jwt', meta: { vct_values: ['card'] }, claims: [{ path: ['name'] }] }],
  };
  const card = (status: 'valid' | 'unknown') => ({ type: 'card', claims: { name: 'A' }, status });

  it('comes after older ones that surely hold', async () => {
    const shown = await holding({ newest: card('unknown'), older: card('valid'), oldest: card('valid') })(asked);
    assert.deepEqual(Object.keys(shown!.id!), ['older', 'newest']);
  });

  it('is shown where there is no other', async () => {
    const shown = await holding({ newest: card('unknown'), older: card('unknown') })(asked);
    assert.equal(Object.keys(shown!.id!)[0], 'newest');
  });
});

const ID = 'https://credentials.example.com/identity_credential';
const sdJwt = (id: string, vct: string, ...paths: ClaimPath[]) => ({
  id,
  format: 'dc+sd-jwt',
  meta: { vct_values: [vct] },
  claims: paths.map((path) => ({ path })),
});
const mdoc = (id: string, doctype: string, ...paths: ClaimPath[]) => ({
  id,
  format: 'mso_mdoc',
  meta: { doctype_value: doctype },
  claims: paths.map((path) => ({ path })),
});
const pid = {
  type: ID,
  claims: { given_name: 'A', family_name: 'B', last_name: 'Doe', first_name: 'John', address: { street_address: 'S' } },
};
const mvrc = {
  format: 'mso_mdoc',
  type: 'org.iso.7367.1.mVRC',
  claims: { 'org.iso.7367.1': { vehicle_holder: 'A' }, 'org.iso.18013.5.1': { first_name: 'A' } },
};

describe('A query for one credential', () => {
  it('is answered with the claims it names', async () => {
    const names: ClaimPath[] = [['last_name'], ['first_name'], ['address', 'street_address']];
    assert.deepEqual(await holding({ pid })({ credentials: [sdJwt('my_credential', ID, ...names)] }), {
      my_credential: { pid: names },
    });
    assert.equal(await holding({ mvrc })({ credentials: [sdJwt('my_credential', ID, ...names)] }), undefined);
  });

  it('is answered by an mdoc', async () => {
    const names: ClaimPath[] = [
      ['org.iso.7367.1', 'vehicle_holder'],
      ['org.iso.18013.5.1', 'first_name'],
    ];
    const query = { credentials: [mdoc('my_credential', 'org.iso.7367.1.mVRC', ...names)] };
    assert.deepEqual(await holding({ pid, mvrc })(query), { my_credential: { mvrc: names } });
    const poorer = { ...mvrc, claims: { 'org.iso.7367.1': { vehicle_holder: 'A' } } };
    assert.equal(await holding({ poorer })(query), undefined);
  });

  it('is answered by an mdoc whose claims are named as drafts did', async () => {
    const [first, second] = [
      { namespace: 'org.iso.7367.1', claim_name: 'vehicle_holder' },
      { namespace: 'org.iso.18013.5.1', claim_name: 'first_name', values: ['A'] },
    ];
    const query = (...claims: object[]) => ({ credentials: [{ ...mdoc('a', 'org.iso.7367.1.mVRC'), claims }] });
    const paths = [
      ['org.iso.7367.1', 'vehicle_holder'],
      ['org.iso.18013.5.1', 'first_name'],
    ];
    assert.deepEqual(await holding({ mvrc })(query(first, second)), { a: { mvrc: paths } });
    assert.equal(await holding({ mvrc })(query(first, { ...second, values: ['B'] })), undefined);
    const { credentials } = await parseQuery(query(first));
    assert.deepEqual(credentials[0]!.claims![0]!.path, paths[0]);
  });

  for (const format of ['jwt_vc_json', 'ldp_vc'])
    it(`is answered by a W3C credential that has all types of one alternative, in any order (${format})`, async () => {
      const query = (...alternatives: string[][]) => ({
        credentials: [
          { id: 'a', format, meta: { type_values: alternatives }, claims: [{ path: ['credentialSubject', 'last_name'] }] },
        ],
      });
      const w3c = {
        format,
        types: ['VerifiableCredential', 'IDCredential', 'LocalCredential'],
        claims: { credentialSubject: { last_name: 'Doe' } },
      };
      const answer = { a: { w3c: [['credentialSubject', 'last_name']] } };
      for (const alternatives of [
        [['LocalCredential']],
        [['IDCredential']],
        [['LocalCredential', 'IDCredential']],
        [['OtherCredential'], ['VerifiableCredential', 'IDCredential']],
      ])
        assert.deepEqual(await holding({ w3c })(query(...alternatives)), answer, JSON.stringify(alternatives));
      assert.equal(await holding({ w3c })(query(['IDCredential', 'OtherCredential'])), undefined);
    });

  it('takes only a credential with a key, unless it does without', async () => {
    const loose = { ...pid, binding: 'none' };
    const query = { ...sdJwt('a', ID, ['last_name']) };
    assert.equal(await holding({ loose })({ credentials: [query] }), undefined);
    assert.deepEqual(await holding({ loose })({ credentials: [{ ...query, require_cryptographic_holder_binding: false }] }), {
      a: { loose: [['last_name']] },
    });
  });

  it('takes the newest, and no others because it would take several', async () => {
    const query = sdJwt('a', ID, ['last_name']);
    const wallet = holding({ second: pid, first: pid });
    assert.deepEqual(Object.keys((await wallet({ credentials: [query] }))!.a!), ['second']);
    assert.deepEqual(Object.keys((await wallet({ credentials: [{ ...query, multiple: true }] }))!.a!), ['second']);
  });
});

describe('A query by authority', () => {
  const query = (...trusted: object[]) => ({ credentials: [{ ...sdJwt('a', ID, ['last_name']), trusted_authorities: trusted }] });
  const aki = (...values: string[]) => ({ type: 'aki', values });
  const below = { ...pid, authorityKeyIds: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y', 'UPv5MQuXgJdHqtQZmXhvyQ'] };

  it('is answered by a credential below any of those it names', async () => {
    for (const value of below.authorityKeyIds) assert.ok(await holding({ below })(query(aki('AAAA', value))), value);
    assert.ok(
      await holding({ below })(query({ type: 'etsi_tl', values: ['https://lotl.example.com'] }, aki(below.authorityKeyIds[0]!))),
    );
  });

  it('is not answered by others', async () => {
    assert.equal(await holding({ below })(query(aki('AAAA'))), undefined);
    assert.equal(await holding({ pid })(query(aki('s9tIpPmhxdiuNkHMEWNpYim8S8Y'))), undefined);
    assert.equal(
      await holding({ below })(query({ type: 'openid_federation', values: ['https://trustanchor.example.com'] })),
      undefined,
    );
  });
});

describe('A query by an authority of a type that is not known here', () => {
  const below = { ...pid, authorityKeyIds: ['s9tIpPmhxdiuNkHMEWNpYim8S8Y'] };
  const aki = { type: 'aki', values: below.authorityKeyIds };
  const novel = (more: object = {}) => ({ type: 'constructor', values: ['anything'], ...more });
  const query = (...trusted: unknown[]) => ({
    credentials: [{ ...sdJwt('a', ID, ['last_name']), trusted_authorities: trusted }, sdJwt('b', ID, ['last_name'])],
    credential_sets: [{ options: [['a'], ['b']] }],
  });
  const answered = async (...trusted: unknown[]) => Object.keys((await holding({ below })(query(...trusted)))!);

  it('is answered by the other authorities that it names, and by nothing if there is none', async () => {
    assert.deepEqual(await answered(novel(), aki), ['a']);
    assert.deepEqual(await answered(novel()), ['b']);
    assert.deepEqual(await answered(novel(), novel({ type: 'x' })), ['b']);
  });

  for (const [what, wrong] of Object.entries({
    'a number as its type': novel({ type: 1 }),
    'no values': novel({ values: [] }),
    'values that are no texts': novel({ values: [1] }),
    'values that are no list': novel({ values: 'x' }),
    nothing: null,
  }))
    it(`is refused if it is malformed: ${what}`, async () => {
      for (const trusted of [[wrong], [aki, wrong]]) await assert.rejects(parseQuery(query(...trusted)), /cannot be read/);
    });
});

describe('A path', () => {
  const arthur = {
    type: ID,
    claims: {
      name: 'Arthur Dent',
      address: { street_address: '42 Market Street', locality: 'Milliways', postal_code: '12345' },
      degrees: [
        { type: 'Bachelor of Science', university: 'University of Betelgeuse' },
        { type: 'Master of Science', university: 'University of Betelgeuse' },
      ],
      nationalities: ['British', 'Betelgeusian'],
      phone: null,
      numbers: [null, null],
    },
  };
  const leads = async (claim: object): Promise<readonly ClaimPath[] | undefined> =>
    (await holding({ arthur })({ credentials: [{ ...sdJwt('a', ID), claims: [claim] }] }))?.a?.arthur;

  for (const path of [['name'], ['address'], ['address', 'street_address'], ['degrees', null, 'type'], ['nationalities', 1]])
    it(`leads to what is there: ${JSON.stringify(path)}`, async () => assert.deepEqual(await leads({ path }), [path]));

  for (const path of [
    ['title'],
    ['name', 'first'],
    ['address', null],
    ['nationalities', 2],
    ['degrees', 'type'],
    ['nationalities', 0, 'x'],
    ['phone'],
    ['numbers', null],
    ['toString'],
    ['__proto__'],
  ])
    it(`leads nowhere: ${JSON.stringify(path)}`, async () => assert.equal(await leads({ path }), undefined));

  it('with values leads to those alone', async () => {
    assert.deepEqual(await leads({ path: ['degrees', null, 'type'], values: ['Master of Science'] }), [['degrees', 1, 'type']]);
    assert.deepEqual(await leads({ path: ['nationalities', null], values: ['British', 'Betelgeusian'] }), [
      ['nationalities', 0],
      ['nationalities', 1],
    ]);
    assert.equal(await leads({ path: ['nationalities', null], values: ['Vogon'] }), undefined);
    assert.deepEqual(await leads({ path: ['address', 'postal_code'], values: ['90210', '12345'] }), [['address', 'postal_code']]);
    assert.equal(await leads({ path: ['address', 'postal_code'], values: [12345] }), undefined);
  });
});

describe('Claim sets', () => {
  const claims = ['last_name', 'postal_code', 'locality', 'region', 'date_of_birth'].map((name, at) => ({
    id: 'abcde'[at],
    path: [name],
  }));
  const query = {
    credentials: [
      {
        ...sdJwt('pid', ID),
        claims,
        claim_sets: [
          ['a', 'c', 'd', 'e'],
          ['a', 'b', 'e'],
        ],
      },
    ],
  };
  const everything = { last_name: '1', postal_code: '2', locality: '3', region: '4', date_of_birth: '5' };
  const shown = async (claims: object): Promise<unknown> =>
    (await holding({ one: { type: ID, claims } })(query))?.pid?.one?.map(([name]) => name);

  it('are taken in the order of the verifier, and nothing beside the first that fits', async () => {
    assert.deepEqual(await shown(everything), ['last_name', 'locality', 'region', 'date_of_birth']);
    const { region: _, ...less } = everything;
    assert.deepEqual(await shown(less), ['last_name', 'postal_code', 'date_of_birth']);
    const { postal_code: __, ...least } = less;
    assert.equal(await shown(least), undefined);
  });
});

describe('A query for several credentials', () => {
  const two = {
    credentials: [sdJwt('pid', ID, ['given_name']), mdoc('mdl', 'org.iso.7367.1.mVRC', ['org.iso.7367.1', 'vehicle_holder'])],
  };

  it('wants all of them without sets', async () => {
    assert.deepEqual(Object.keys((await holding({ pid, mvrc })(two))!), ['pid', 'mdl']);
    assert.equal(await holding({ pid })(two), undefined);
  });

  const [OTHER, REDUCED, RESIDENCE, REWARDS] = [
    'https://othercredentials.example/pid',
    'https://credentials.example.com/reduced_identity_credential',
    'https://cred.example/residence_credential',
    'https://company.example/company_rewards',
  ] as const;
  const complex = {
    credentials: [
      sdJwt('pid', ID, ['given_name'], ['family_name'], ['address', 'street_address']),
      sdJwt('other_pid', OTHER, ['given_name'], ['family_name'], ['address', 'street_address']),
      sdJwt('pid_reduced_cred_1', REDUCED, ['family_name'], ['given_name']),
      sdJwt('pid_reduced_cred_2', RESIDENCE, ['postal_code'], ['locality'], ['region']),
      sdJwt('nice_to_have', REWARDS, ['rewards_number']),
    ],
    credential_sets: [
      { options: [['pid'], ['other_pid'], ['pid_reduced_cred_1', 'pid_reduced_cred_2']] },
      { required: false, options: [['nice_to_have']] },
    ],
  };
  const other = { ...pid, type: OTHER };
  const reduced = { ...pid, type: REDUCED };
  const residence = { type: RESIDENCE, claims: { postal_code: '1', locality: '2', region: '3' } };
  const rewards = { type: REWARDS, claims: { rewards_number: '7' } };

  it('is answered with the first option that can be had as a whole', async () => {
    const of = async (credentials: Readonly<Record<string, Credential>>) => {
      const shown = await holding(credentials)(complex);
      return shown && Object.keys(shown);
    };
    assert.deepEqual(await of({ reduced, residence, other, pid, rewards }), ['pid']);
    assert.deepEqual(await of({ reduced, residence, other }), ['other_pid']);
    assert.deepEqual(await of({ reduced, residence }), ['pid_reduced_cred_1', 'pid_reduced_cred_2']);
    assert.equal(await of({ reduced, rewards }), undefined);
  });

  it('says which of them are required', async () => {
    const query = await parseQuery(complex);
    assert.deepEqual(
      query.credentials.map(({ id }) => isRequired(query, id)),
      [true, true, true, true, false],
    );
    const all = await parseQuery(two);
    assert.ok(all.credentials.every(({ id }) => isRequired(all, id)));
  });

  it('may want one credential for two things, the second only if the person wants', async () => {
    const [MDL, PHOTO] = ['org.iso.18013.5.1.mDL', 'org.iso.23220.photoid.1'];
    const space = 'org.iso.18013.5.1';
    const query = await parseQuery({
      credentials: [
        mdoc('mdl-id', MDL, [space, 'given_name'], [space, 'portrait']),
        mdoc('mdl-address', MDL, [space, 'resident_address'], [space, 'resident_country']),
        mdoc('photo_card-id', PHOTO, [space, 'given_name'], [space, 'portrait']),
        mdoc('photo_card-address', PHOTO, [space, 'resident_address'], [space, 'resident_country']),
      ],
      credential_sets: [
        { options: [['mdl-id'], ['photo_card-id']] },
        { required: false, options: [['mdl-address'], ['photo_card-address']] },
      ],
    });
    const results = query.credentials.map(({ id }) => ({ id, matches: id.startsWith('mdl') ? [{}] : [] })) as never;
    assert.deepEqual(chooseQueries(query, results, []), ['mdl-id']);
    assert.deepEqual(chooseQueries(query, results, ['mdl-address']), ['mdl-id', 'mdl-address']);
    assert.deepEqual(chooseQueries(query, results, ['photo_card-address']), ['mdl-id']);
  });
});

describe('A query in a format that is not known here', () => {
  /** A later format may define its `meta` in any way. */
  const novel = (id: string, more: object = {}) => ({
    id,
    format: 'ac_vp',
    meta: { vct_values: [], scheme: { of: 1 } },
    ...more,
  });
  const known = sdJwt('pid', ID, ['last_name']);
  const shown = { pid: { pid: [['last_name']] } };

  it('is answered by nothing', async () => {
    assert.equal(await holding({ pid })({ credentials: [novel('a')] }), undefined);
    assert.equal(await holding({ pid })({ credentials: [novel('a'), known] }), undefined);
  });

  it('does not keep another option, or a set beside, from being answered', async () => {
    const credentials = [novel('a'), known];
    const sets = [
      [{ options: [['a'], ['pid']] }],
      [{ options: [['a', 'pid'], ['pid']] }],
      [{ options: [['pid']] }],
      [{ required: false, options: [['a']] }, { options: [['pid']] }],
    ];
    for (const credential_sets of sets)
      assert.deepEqual(await holding({ pid })({ credentials, credential_sets }), shown, JSON.stringify(credential_sets));
    for (const options of [[['a']], [['a', 'pid']]])
      assert.equal(await holding({ pid })({ credentials, credential_sets: [{ options }] }), undefined);
  });

  it('keeps all that it says, and its place', async () => {
    const claims = [{ id: 'x', path: ['a', null, 0], values: ['v'] }];
    const trusted_authorities = [{ type: 'aki', values: ['AAAA'] }];
    const asked = novel('a', { claims, claim_sets: [['x']], multiple: true, trusted_authorities });
    const { credentials } = await parseQuery({ credentials: [known, asked, sdJwt('other', ID, ['name'])] });
    assert.deepEqual(
      credentials.map(({ id, format }) => [id, format]),
      [
        ['pid', 'dc+sd-jwt'],
        ['a', 'ac_vp'],
        ['other', 'dc+sd-jwt'],
      ],
    );
    assert.deepEqual(credentials[1], { ...asked, require_cryptographic_holder_binding: true });
  });

  for (const format of ['constructor', 'toString', 'DC+SD-JWT', 'mso_mdoc ', 'x'.repeat(1000)])
    it(`may have any name: ${format.slice(0, 20)}`, async () => {
      const query = { credentials: [novel('a', { format }), known], credential_sets: [{ options: [['a'], ['pid']] }] };
      assert.deepEqual(await holding({ pid })(query), shown);
    });

  for (const [what, wrong] of Object.entries({
    'a format that is no text': { format: 7 },
    'no format': { format: undefined },
    'an empty format': { format: '' },
    'no meta': { meta: undefined },
    'a list as meta': { meta: [] },
    'an id with a space': { id: 'a b' },
    'an id twice': { id: 'pid' },
    'no claims in a list': { claims: [] },
    'a claim without a path': { claims: [{ id: 'x' }] },
    'a negative step': { claims: [{ path: ['a', -1] }] },
    'two claims of one id': {
      claims: [
        { id: 'x', path: ['a'] },
        { id: 'x', path: ['b'] },
      ],
      claim_sets: [['x']],
    },
    'a set of claims that are not there': { claims: [{ id: 'x', path: ['a'] }], claim_sets: [['y']] },
    'sets without claims': { claim_sets: [['x']] },
    'a text as multiple': { multiple: 'yes' },
    'no authority in a list': { trusted_authorities: [] },
  }))
    it(`is refused as any other if it is malformed: ${what}`, async () => {
      const query = { credentials: [novel('a', wrong), known], credential_sets: [{ options: [['pid']] }] };
      await assert.rejects(parseQuery(query), /cannot be read/);
    });

  it('has the limits of any other', async () => {
    const claims = Array.from({ length: 101 }, () => ({ path: ['a'] }));
    await assert.rejects(parseQuery({ credentials: [novel('a', { claims })] }), /asks for too much/);
  });

  it('does not excuse an option that names what is not asked for', async () => {
    const query = { credentials: [novel('a'), known], credential_sets: [{ options: [['b'], ['pid']] }] };
    await assert.rejects(parseQuery(query), /cannot be read/);
  });
});

describe('A query that asks for too much', () => {
  const one = { id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['x'] } };
  const many = (length: number, value: unknown = 'x'): unknown[] => Array.from({ length }, () => value);
  for (const [what, query] of Object.entries({
    'a path of a thousand steps': { credentials: [{ ...one, claims: [{ path: many(1000) }] }] },
    'a thousand values': { credentials: [{ ...one, claims: [{ path: ['a'], values: many(1000) }] }] },
    'a thousand W3C types': {
      credentials: [{ id: 'a', format: 'ldp_vc', meta: { type_values: many(20, many(50)) } }],
    },
    'a thousand keys of authorities': {
      credentials: [{ ...one, trusted_authorities: many(20, { type: 'aki', values: many(50) }) }],
    },
    'a thousand types': { credentials: [{ ...one, meta: { vct_values: many(1000) } }] },
    'a claim set of a thousand': { credentials: [{ ...one, claims: [{ id: 'x', path: ['a'] }], claim_sets: [many(1000)] }] },
    'an option of a thousand': { credentials: [one], credential_sets: [{ options: [many(1000)] }] },
    'a thousand authorities': { credentials: [{ ...one, trusted_authorities: many(1000, { type: 'aki', values: ['x'] }) }] },
  }))
    it(`is refused before it is looked at: ${what}`, async () => {
      await assert.rejects(parseQuery(query), /asks for too much/);
    });

  it('may have the id of a property that every object inherits', async () => {
    const query = { credentials: [{ ...one, id: 'constructor' }] };
    const found = await holding({ card: { type: 'x', claims: { vct: 'x' } } })(query);
    assert.deepEqual(Object.keys(found ?? {}), ['constructor']);
  });
});

describe('A query that DCQL does not know', () => {
  const one = { id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['x'] } };
  let deep: unknown = 'x';
  for (let at = 0; at < 40; at++) deep = { deep };
  for (const [what, query] of Object.entries({
    'no type of all': { credentials: [{ ...one, meta: { vct_values: [] } }] },
    'two claims of one name': {
      credentials: [{ ...one, claims: ['a', 'b'].map((name) => ({ id: 'x', path: [name] })), claim_sets: [['x']] }],
    },
    'a purpose without end': { credentials: [one], credential_sets: [{ options: [['a']], purpose: deep }] },
  }))
    it(`is refused: ${what}`, async () => {
      await assert.rejects(parseQuery(query), /cannot be read/);
    });
});

describe('A credential made to keep the node busy', () => {
  const list = (length: number, value: unknown = 'v'): unknown[] => Array.from({ length }, () => value);
  const ask = (count: number, claim: object) => ({ credentials: [{ ...sdJwt('a', ID), claims: list(count, claim) }] });
  const values = Array.from({ length: 100 }, (_, at) => `v${at}`);
  let tree: unknown = 1;
  for (let at = 0; at < 16; at++) tree = [tree, tree];
  const nulls = list(16, null);

  for (const [what, claims, query, isAnswered] of [
    ['1,000 elements', { l: list(1000) }, ask(100, { path: ['l', null] }), false],
    ['1,000 elements, each with 100 values', { l: list(1000, 'v99') }, ask(100, { path: ['l', null], values }), false],
    ['15,000 elements', { l: list(15_000) }, ask(1, { path: ['l', null] }), true],
    ['90,000 elements', { l: list(90_000) }, ask(100, { path: ['l', null] }), false],
    ['90,000 elements, wanted whole', { l: list(90_000) }, ask(100, { path: ['l'] }), false],
    ['60,000 objects', { l: list(60_000, {}) }, ask(100, { path: ['l', null, 'x'] }), false],
    ['a tree', { l: tree }, ask(100, { path: ['l', ...nulls], values: [1] }), false],
  ] as const)
    it(`costs little: ${what}`, async () => {
      const wallet = holding({ busy: { type: ID, claims } });
      await wallet(ask(1, { path: ['x'] }));
      const started = performance.now();
      assert.equal((await wallet(query)) !== undefined, isAnswered);
      // It takes some milliseconds; without a limit it took minutes.
      assert.ok(performance.now() - started < 20_000);
    });

  it('costs little: 60,000 types', async () => {
    const types = Array.from({ length: 60_000 }, (_, at) => `t${at}`);
    const wallet = holding({ busy: { format: 'ldp_vc', types, claims: {} } });
    const query = (...last: string[]) => ({
      credentials: [{ id: 'a', format: 'ldp_vc', meta: { type_values: [[...types.slice(-90), ...last]] } }],
    });
    assert.deepEqual(await wallet(query()), { a: { busy: [] } });
    assert.equal(await wallet(query('other')), undefined);
  });

  it('does not keep one that is real from being shown', async () => {
    const busy = { type: ID, claims: { l: list(90_000) } };
    const real = { type: ID, claims: { l: ['v'] } };
    const found = await holding({ busy, real })(ask(100, { path: ['l', null] }));
    assert.deepEqual(found, { a: { real: [['l', null]] } });
  });
});

describe('A wallet with many credentials', () => {
  const w3c = (name: string) => ({ format: 'ldp_vc', types: ['VerifiableCredential', name], claims: { id: 'x' } });
  const many = (count: number, one: Credential) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`other${at}`, one]));
  const query = { credentials: [{ id: 'a', format: 'ldp_vc', meta: { type_values: [['Rare']] } }] };

  it('finds the one that fits behind all others, by its type or by a value', async () => {
    const found = await holding({ ...many(5000, w3c('Common')), rare: w3c('Rare') })(query);
    assert.deepEqual(found, { a: { rare: [] } });
    const john = { credentials: [{ ...sdJwt('a', ID), claims: [{ path: ['first_name'], values: ['John'] }] }] };
    const others = many(5000, { type: ID, claims: { first_name: 'Jane' } });
    assert.deepEqual(await holding({ ...others, pid })(john), { a: { pid: [['first_name']] } });
  });

  it('lets others have their turn while it looks', async () => {
    const wallet = holding(many(10_000, w3c('Common')));
    let turns = 0;
    const turn = (): void => {
      turns++;
      timer = setImmediate(turn);
    };
    let timer = setImmediate(turn);
    assert.equal(await wallet(query), undefined);
    clearImmediate(timer);
    assert.ok(turns > 1, `${turns} turns`);
  });

  it('does not say that there is none when there is too much to look through', async () => {
    await assert.rejects(holding(many(20_001, w3c('Common')))(query), /too many credentials to search/);
  });
});
