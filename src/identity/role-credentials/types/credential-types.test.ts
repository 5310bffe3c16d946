import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { onDatabase, onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { assign, makeApplication, makePerson, makeRole } from '../../../../test/support/applications.ts';
import { askType, makeType, TYPES } from '../../../../test/support/role-credentials.ts';

onEachDatabase('Credential types', (api) => {
  let application: any;
  let role: any;
  before(async () => {
    application = await makeApplication(api);
    role = await makeRole(api, application);
  });

  it('have defaults that suit most', async () => {
    const { id } = await makeType(api, application);
    const { credential_type: type } = (await api.get(`${TYPES}/${id}`)).body;
    assert.deepEqual(type, {
      id,
      application_id: application.id,
      targets: [],
      type: type.type,
      vct: `${api.url}/openid/credential-types/${id}`,
      doctype: `127.0.0.1.${id}`,
      name: 'Workers',
      description: '',
      formats: ['dc+sd-jwt'],
      data_model: '2.0',
      validity_seconds: 2_592_000,
      roles: null,
      organizations: null,
      only_default_organization: false,
      claims: [],
      subject: 'none',
      enabled: true,
      links: { self: `${api.url}${TYPES}/${id}` },
    });
    assert.match(type.type, /^Type\d+$/);
  });

  it('are changed in what the body names, and deleted', async () => {
    const other = await makeApplication(api);
    const { id } = await makeType(api, application, { only_default_organization: true, claims: ['name'] });
    const change = async (values: object) => {
      const answer = await api.patch(`${TYPES}/${id}`, { credential_type: values });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.credential_type;
    };
    assert.equal((await change({ description: 'x' })).only_default_organization, true);
    const listed = await change({ organizations: ['an-organization'], only_default_organization: false });
    assert.deepEqual([listed.organizations, listed.only_default_organization], [['an-organization'], false]);
    assert.equal((await change({ organizations: null })).organizations, null);
    assert.deepEqual((await change({ targets: [other.id], roles: [role.id] })).targets, [other.id]);
    assert.equal((await change({ roles: null, enabled: false })).enabled, false);
    const { credential_type: type } = (await api.get(`${TYPES}/${id}`)).body;
    assert.deepEqual([type.description, type.claims, type.targets, type.roles], ['x', ['name'], [other.id], null]);
    assert.equal((await api.delete(`${TYPES}/${id}`)).status, 204);
    assert.equal((await api.get(`${TYPES}/${id}`)).status, 404);
    assert.equal((await api.delete(`${TYPES}/${id}`)).status, 404);
  });

  it('are listed by application, name and state, in pages', async () => {
    const own = await makeApplication(api);
    const made = [];
    for (const name of ['A', 'B', 'C']) made.push((await makeType(api, own, { name, enabled: name !== 'B' })).id);
    const list = async (query: string) =>
      (await api.get(`${TYPES}?application_id=${own.id}${query}`)).body.credential_types.map(({ id }: { id: string }) => id);
    assert.deepEqual(await list(''), made);
    assert.deepEqual(await list('&enabled=false'), [made[1]]);
    assert.deepEqual(await list('&name=C'), [made[2]]);
    const first = (await api.get(`${TYPES}?application_id=${own.id}&limit=2`)).body;
    assert.equal(first.credential_types.length, 2);
    const rest = await api.get(new URL(first.links.next).pathname + new URL(first.links.next).search);
    assert.deepEqual(
      rest.body.credential_types.map(({ id }: { id: string }) => id),
      [made[2]],
    );
  });

  it('end with their application, and lose a target with that', async () => {
    const [own, further] = [await makeApplication(api), await makeApplication(api)];
    const { id } = await makeType(api, own, { targets: [further.id] });
    const metadata = `/openid/credential-types/${id}`;
    assert.equal((await api.get(metadata, { token: null })).status, 200);
    await api.delete(`/v3/OS-OAUTH2/consumers/${further.id}`);
    assert.deepEqual((await api.get(`${TYPES}/${id}`)).body.credential_type.targets, []);
    await api.delete(`/v3/OS-OAUTH2/consumers/${own.id}`);
    assert.equal((await api.get(metadata, { token: null })).status, 404, 'also in memory');
    assert.equal((await api.get(`${TYPES}/${id}`)).status, 404);
  });

  describe('are refused', () => {
    const bad: Readonly<Record<string, () => object>> = {
      'with an id that is no part of an address': () => ({ id: 'Über/../x' }),
      'with an id that begins with a hyphen': () => ({ id: '-x' }),
      'without a format': () => ({ formats: [] }),
      'with a format that is not issued': () => ({ formats: ['ldp_vc'] }),
      'with a format twice': () => ({ formats: ['dc+sd-jwt', 'dc+sd-jwt'] }),
      'that live too short': () => ({ validity_seconds: 1 }),
      'that live too long': () => ({ validity_seconds: 10 ** 9 }),
      'with an unknown claim': () => ({ claims: ['password'] }),
      'with a type that every credential has': () => ({ type: 'VerifiableCredential' }),
      'with a role of nobody': () => ({ roles: ['nothing'] }),
      'with an internal role': () => ({ roles: ['provider'] }),
      'with their own application as a further one': () => ({ targets: [application.id] }),
      'with organizations and the default one': () => ({ organizations: ['x'], only_default_organization: true }),
      'with something unknown': () => ({ secret: 'x' }),
    };
    for (const [name, values] of Object.entries(bad))
      it(name, async () => {
        const answer = await askType(api, application, values());
        assert.equal(answer.status, 400, answer.text);
      });

    it('with a role of another application, until that is a target', async () => {
      const other = await makeApplication(api);
      const foreign = await makeRole(api, other);
      const { id } = await makeType(api, application);
      const change = (values: object) => api.patch(`${TYPES}/${id}`, { credential_type: values });
      assert.equal((await change({ roles: [foreign.id] })).status, 400);
      assert.equal((await change({ roles: [foreign.id], targets: [other.id] })).status, 200);
      assert.equal((await change({ targets: [] })).status, 400, 'its roles would be of nobody');
    });

    it('when the id is taken, or an application does not exist', async () => {
      const { id } = await makeType(api, application);
      assert.equal((await askType(api, application, { id })).status, 409);
      assert.equal((await askType(api, { id: 'nothing' })).status, 404);
      assert.equal((await askType(api, application, { targets: ['nothing'] })).status, 404);
    });
  });

  it('are described for everybody, as SD-JWT VC type metadata', async () => {
    const { id } = await makeType(api, application, { description: 'They work', claims: ['email'] });
    const answer = await api.get(`/openid/credential-types/${id}`, { token: null });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    assert.match(answer.headers.get('cache-control')!, /^public, max-age=\d+$/);
    const { vct, name, description, claims } = answer.body;
    assert.ok(!answer.text.includes('"lang"'), 'earlier drafts called it so');
    assert.deepEqual([vct, name, description], [`${api.url}/openid/credential-types/${id}`, 'Workers', 'They work']);
    assert.deepEqual(
      claims.map(({ path, sd }: { path: unknown; sd: string }) => [path, sd]),
      [
        [['roles'], 'never'],
        [['roles', null, 'target'], 'never'],
        [['roles', null, 'application'], 'never'],
        [['roles', null, 'names'], 'never'],
        [['email'], 'always'],
      ],
    );
    assert.equal((await api.get('/openid/credential-types/nothing', { token: null })).status, 404);
  });

  it('name an application by a DID that an administrator gave it', async () => {
    const [one, other] = [await makeApplication(api), await makeApplication(api)];
    const path = (id: string) => `/v3/OS-ROLE-CREDENTIALS/targets/${id}`;
    const did = `did:web:${uniqueName('app')}.example`;
    assert.equal((await api.get(path(one.id))).status, 404);
    assert.equal((await api.put(path(one.id), { target: { did } })).status, 200);
    assert.equal((await api.get(path(one.id))).body.target.did, did);
    assert.equal((await api.put(path(other.id), { target: { did } })).status, 409, 'it is another one’s');
    for (const bad of ['', 'https://app.example', 'did:web:a b', `${did}#key`, `${did}/path`])
      assert.equal((await api.put(path(other.id), { target: { did: bad } })).status, 400, bad);
    assert.equal((await api.delete(path(one.id))).status, 204);
    assert.equal((await api.delete(path(one.id))).status, 404);
    assert.equal((await api.put(path('nothing'), { target: { did } })).status, 404);
  });

  it('of an issuer without a DID are in no registry', async () => {
    assert.equal((await api.get('/.well-known/did.json', { token: null })).status, 404);
    assert.equal((await api.get('/v4/issuers/did:web:127.0.0.1', { token: null })).status, 404);
  });

  it('can be made by whoever manages the application, for its roles', async () => {
    const provider = await makePerson(api);
    const own = await makeApplication(api, {}, provider.token);
    const { id } = await makeType(api, own, {}, provider.token);
    const listed = (await api.get(TYPES, { token: provider.token })).body.credential_types;
    assert.deepEqual(
      listed.map((type: { id: string }) => type.id),
      [id],
    );
    const person = await makePerson(api);
    await assign(api, { ...person, application, role });
    assert.deepEqual((await api.get(TYPES, { token: person.token })).body.credential_types, []);
  });
});

onDatabase('SQLite', 'An issuer with a DID', { settings: { GATEHOUSE_IDENTITY_URL: 'https://id.example' } }, (api) => {
  const DID = 'did:web:id.example';

  it('publishes the keys of its DID', async () => {
    const answer = await api.get('/.well-known/did.json', { token: null, headers: { Accept: 'application/did+json' } });
    assert.equal(answer.headers.get('content-type')?.split(';')[0], 'application/did+json');
    const { id, verificationMethod, assertionMethod, authentication } = answer.body;
    assert.equal(id, DID);
    const { issuer, jwks } = (await api.get('/.well-known/jwt-vc-issuer', { token: null })).body;
    assert.equal(issuer, 'https://id.example');
    assert.deepEqual(
      assertionMethod,
      jwks.keys.map(({ kid }: { kid: string }) => `${DID}#${kid}`),
    );
    assert.deepEqual(authentication, assertionMethod);
    assert.deepEqual(Object.keys(verificationMethod[0].publicKeyJwk).sort(), ['alg', 'crv', 'kid', 'kty', 'x', 'y']);
    assert.equal(jwks.keys[0].d, undefined);
  });

  it('has an entry that a verifier of FIWARE reads: each type, and the applications whose roles it may name', async () => {
    const [application, further] = [await makeApplication(api), await makeApplication(api)];
    await api.put(`/v3/OS-ROLE-CREDENTIALS/targets/${further.id}`, { target: { did: 'did:web:further.example' } });
    const formats = ['dc+sd-jwt', 'jwt_vc_json'];
    const type = await makeType(api, application, { type: 'OperatorCredential', formats, targets: [further.id] });
    await makeType(api, application, { type: 'OldCredential', enabled: false });
    const answer = await api.get(`/v4/issuers/${DID}`, { token: null });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.did, DID);
    for (const { hash, body, issuerType, tao, rootTao } of answer.body.attributes) {
      assert.equal(hash, createHash('sha256').update(Buffer.from(body, 'base64')).digest('hex'));
      assert.deepEqual([issuerType, tao, rootTao], ['Undefined', DID, DID]);
    }
    const claims = [{ name: 'roles', path: '$.roles[*].target', allowedValues: [application.id, 'did:web:further.example'] }];
    assert.deepEqual(
      answer.body.attributes.map(({ body }: { body: string }) => JSON.parse(Buffer.from(body, 'base64').toString())),
      [
        { credentialsType: 'VerifiableCredential', claims: [] },
        { credentialsType: 'OperatorCredential', claims },
        { credentialsType: type.vct, claims },
      ],
    );
    for (const other of ['did:web:other.example', 'nothing', `${DID}:path`])
      assert.equal((await api.get(`/v4/issuers/${other}`, { token: null })).status, 404);
    assert.equal((await api.get(`/v4/issuers/${encodeURIComponent(DID)}`, { token: null })).status, 200, 'also encoded');
  });

  it('tells callers what verifiers have to trust', async () => {
    const { issuer } = (await api.get('/v3/OS-ROLE-CREDENTIALS/issuer')).body;
    assert.deepEqual([issuer.id, issuer.did, issuer.is_for_development], ['https://id.example', DID, true]);
    assert.match(issuer.root, /^-----BEGIN CERTIFICATE-----/);
    assert.equal(issuer.chain.length, 1);
  });

  it('names mobile documents by its host, backwards', async () => {
    const { id, doctype } = await makeType(api, await makeApplication(api), { formats: ['mso_mdoc'] });
    assert.equal(doctype, `example.id.${id}`);
  });
});
