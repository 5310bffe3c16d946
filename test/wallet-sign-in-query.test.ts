// What the sign-in asks wallets for, and what our wallet takes: a request beyond its limits would sign nobody in.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { queryFor } from '../src/identity/login/wallet-sign-in/query.ts';
import type { FormatName } from '../src/verifiable/formats/index.ts';
import { parseQuery } from '../src/wallet/presentation/query.ts';

const list = <T>(length: number, make: (at: number) => T): T[] => Array.from({ length }, (_, at) => make(at));

/** So many types of one application in all formats. */
const typesOf = (applicationId: string, count: number) => (format: FormatName) =>
  list(count, (at) => {
    const name = `${applicationId}.${at}`;
    return { applicationId, names: format === 'jwt_vc_json' ? ['VerifiableCredential', name] : [name] };
  });

const QUERIES = { 'dc+sd-jwt': 'own', jwt_vc_json: 'own_w3c', mso_mdoc: 'own_mdoc' } as const;

const ownTypes = (...applications: ReturnType<typeof typesOf>[]) =>
  (Object.keys(QUERIES) as (keyof typeof QUERIES)[]).map((format) => ({
    format,
    queryId: QUERIES[format],
    types: applications.flatMap((types) => types(format)),
  }));

const provider = (id: string, format: FormatName, types: number) => ({
  id,
  version: 1,
  domainId: 'default',
  credentials: [{ format, types: list(types, (at) => `${id}.${at}`), subject: ['a', 'b'], claims: [['a', 'c']] }],
  issuers: [],
  rootCertificates: [],
  requiresStatus: true,
});

async function asked(...args: Parameters<typeof queryFor>) {
  const { dcql, sources, isCut } = queryFor(...args)!;
  const { credentials } = await parseQuery(dcql);
  assert.deepEqual(
    Object.keys(sources),
    credentials.map(({ id }) => id),
  );
  const doctypes = credentials.flatMap(({ meta }) => (meta.doctype_value as string | undefined) ?? []);
  return { credentials, isCut, doctypes, ids: credentials.map(({ id }) => id) };
}

describe('The query of the sign-in with a wallet', () => {
  it('is never one that our wallet refuses, whatever there is to ask for', async () => {
    for (const count of [1, 10, 51, 101, 300])
      for (const providers of [0, 1, 18, 19, 25]) {
        const others = list(providers, (at) => provider(`p${at}`, at % 2 ? 'mso_mdoc' : 'dc+sd-jwt', 5));
        const { credentials, isCut } = await asked(ownTypes(typesOf('a', count)), others);
        assert.ok(credentials.length <= 20);
        assert.equal(isCut, count > 10 || providers > 5, `${count} types, ${providers} providers`);
      }
  });

  it('has types of every application: none can fill it with its own', async () => {
    const greedy = typesOf('greedy', 300);
    const { credentials, doctypes } = await asked(ownTypes(greedy, typesOf('b', 1), typesOf('c', 2)), []);
    const [sdJwt, w3c] = credentials.map(({ meta }) => meta);
    const vcts = sdJwt!.vct_values as readonly string[];
    const types = w3c!.type_values as readonly (readonly string[])[];
    for (const name of ['b.0', 'c.0', 'c.1', 'greedy.0']) {
      assert.ok(vcts.includes(name), name);
      assert.ok(
        types.some((names) => names.includes(name)),
        name,
      );
      assert.ok(doctypes.includes(name), name);
    }
    assert.equal(credentials.length, 20);
  });

  it('has providers beside our documents, in turns, and each provider before the second type of another', async () => {
    const others = [provider('greedy', 'mso_mdoc', 20), ...list(8, (at) => provider(`p${at}`, 'dc+sd-jwt', 1))];
    const { ids, doctypes, isCut } = await asked(ownTypes(typesOf('a', 50)), others);
    assert.deepEqual(ids.slice(0, 3), ['own', 'own_w3c', 'own_mdoc']);
    assert.equal(ids.filter((id) => id.startsWith('own_mdoc')).length, 9);
    assert.equal(ids.filter((id) => id.startsWith('provider_')).length, 9);
    assert.deepEqual(
      doctypes.filter((type) => type.startsWith('greedy')),
      ['greedy.0'],
    );
    assert.ok(isCut);
  });
});
