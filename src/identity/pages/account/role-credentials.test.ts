// A person takes their roles along from the account page.
import assert from 'node:assert/strict';
import { afterEach, it, mock } from 'node:test';
import { onDatabase, onUsualDatabase } from '../../../../test/support/api.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import {
  CREDENTIALS,
  issuedTo,
  makeHolder,
  makeRoleWorld,
  makeType,
  TestCredentialWallet,
  TYPES,
  takeRole,
  withdraw,
} from '../../../../test/support/role-credentials.ts';
import { offeredOn, PAGE } from '../../../../test/support/role-credentials-page.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const { en, es } = LANGUAGES;

onUsualDatabase('Roles for a wallet on the account page', (api) => {
  it('are not mentioned where nobody can have any, and are not for those who have none', async () => {
    const browser = new TestBrowser(api);
    assert.ok(!(await browser.signIn(PAGE, await makeUser(api))).text.includes(en.takeRoles));
    const { typeId } = await makeRoleWorld(api);
    assert.ok((await browser.go(PAGE)).text.includes(en.noRolesToTake));
    await api.patch(`${TYPES}/${typeId}`, { credential_type: { enabled: false } });
    assert.ok(!(await browser.go(PAGE)).text.includes(en.takeRoles));
  });

  it('are offered by a link and a code, with which a wallet gets them', async () => {
    const world = await makeRoleWorld(api, { name: 'Shop <manager>', description: 'What you may do', formats: ['dc+sd-jwt'] });
    const person = await makeHolder(api, world);
    const browser = new TestBrowser(api);
    const page = await browser.signIn(PAGE, person);
    assert.match(
      page.text,
      /<strong id="available-0">Shop &lt;manager&gt;<\/strong>[\s\S]*<button[^>]* aria-describedby="available-0">/,
    );
    assert.ok(page.text.includes('What you may do') && page.text.includes(en.nothingInWallets));
    const shown = await browser.submit(page, 'credential-offer');
    assert.equal(shown.status, 200);
    assert.equal(shown.headers.get('cache-control'), 'no-store');
    const { uri, code } = offeredOn(shown);
    const offer = await new TestCredentialWallet(api).read(uri);
    const hint = offer.grants['urn:ietf:params:oauth:grant-type:pre-authorized_code'].tx_code.description;
    assert.equal(hint, en.offerCodeHint('Gatehouse'), 'wallets can say where the code is');
    assert.ok(shown.text.includes('<svg') && shown.text.includes(`${en.offerUntil} <time`));
    const wallet = new TestCredentialWallet(api);
    const refused = await wallet.redeem(uri, code === '000000' ? '000001' : '000000');
    assert.equal(refused.status, 400, 'the code is needed');
    assert.ok(await wallet.receive(await wallet.token(uri, code), world.sdJwt));
    const later = await browser.go(PAGE);
    assert.ok(!later.text.includes(uri) && !later.text.includes(code), 'it is shown once');
    assert.ok(later.text.includes(`${world.application.name}: manager`), 'in words, not by ids');
    assert.match(later.text, new RegExp(`${en.credentialIssued} <time.*${en.credentialUntil} <time`));
    assert.match(later.text, /<strong id="issued-0">[\s\S]*<button[^>]* aria-describedby="issued-0">/);
    const done = await browser.submit(later, 'credential-revoke');
    assert.ok(done.text.includes(en.credentialIsRevoked));
    assert.ok(!done.forms.some(({ fields }) => fields.step === 'credential-revoke'));
    assert.deepEqual(
      (await issuedTo(api, person)).map((one) => [one.state, one.reason]),
      [['revoked', 'holder']],
    );
  });

  it('are offered in the format that was chosen, and copies are revoked together', async () => {
    const world = await makeRoleWorld(api, { formats: Object.keys(es.credentialFormats) });
    const person = await makeHolder(api, world);
    const browser = new TestBrowser(api, { 'Accept-Language': 'es' });
    const page = await browser.signIn(PAGE, person);
    for (const text of Object.values(es.credentialFormats)) assert.ok(page.text.includes(text), text);
    const { uri, code } = offeredOn(await browser.submit(page, 'credential-offer', { configuration: world.jwtVc }));
    const wallet = new TestCredentialWallet(api);
    assert.deepEqual((await wallet.read(uri)).credential_configuration_ids, [world.jwtVc]);
    const nonce = await wallet.nonce();
    const jwt = [await wallet.proof({ nonce }), await wallet.proof({ nonce })];
    const answer = await wallet.request(await wallet.token(uri, code), {
      credential_configuration_id: world.jwtVc,
      proofs: { jwt },
    });
    assert.equal(answer.body.credentials?.length, 2, answer.text);
    await wallet.receiveFor(person, world.sdJwt);
    const later = await browser.go(PAGE);
    assert.ok(later.text.includes(es.credentialCopies(2)));
    const forms = later.forms.filter(({ fields }) => fields.step === 'credential-revoke');
    assert.equal(forms.length, 2);
    const copies = (await issuedTo(api, person)).filter(({ format }) => format === 'jwt_vc_json').map(({ id }) => id);
    await browser.send(PAGE, forms.find(({ fields }) => copies.includes(fields.credential))!.fields);
    assert.deepEqual((await issuedTo(api, person)).map((one) => `${one.format} ${one.state}`).sort(), [
      'dc+sd-jwt valid',
      'jwt_vc_json revoked',
      'jwt_vc_json revoked',
    ]);
  });

  it('show what a wallet got again as one, with when it was last refreshed, and revoke all of it', async () => {
    const world = await makeRoleWorld(api, { formats: ['dc+sd-jwt'] });
    const person = await makeHolder(api, world);
    const browser = new TestBrowser(api);
    const offered = offeredOn(await browser.submit(await browser.signIn(PAGE, person), 'credential-offer'));
    const wallet = new TestCredentialWallet(api);
    const token = await wallet.token(offered.uri, offered.code);
    await wallet.receive(token, world.sdJwt);
    assert.ok(!(await browser.go(PAGE)).text.includes(en.credentialRefreshed));
    api.clock.advance(60);
    await wallet.receive(token, world.sdJwt);
    const page = await browser.go(PAGE);
    const times = new RegExp(`${en.credentialIssued} (<time[^>]*>)[^<]*</time>, ${en.credentialRefreshed} (<time[^>]*>)`);
    const refreshed = times.exec(page.text);
    assert.ok(refreshed && refreshed[1] !== refreshed[2], page.text);
    assert.equal(page.forms.filter(({ fields }) => fields.step === 'credential-revoke').length, 1);
    await browser.submit(page, 'credential-revoke');
    assert.deepEqual(
      (await issuedTo(api, person)).map(({ state }) => state),
      ['revoked', 'revoked'],
    );
  });

  it('are in the activity when they are issued, suspended and revoked, once for all copies', async () => {
    const world = await makeRoleWorld(api, { formats: ['dc+sd-jwt'], name: 'Shop <manager>' });
    const person = await makeHolder(api, world);
    const browser = new TestBrowser(api);
    const offered = offeredOn(await browser.submit(await browser.signIn(PAGE, person), 'credential-offer'));
    const wallet = new TestCredentialWallet(api);
    const nonce = await wallet.nonce();
    const jwt = [await wallet.proof({ nonce }), await wallet.proof({ nonce })];
    const token = await wallet.token(offered.uri, offered.code);
    const answer = await wallet.request(token, { credential_configuration_id: world.sdJwt, proofs: { jwt } });
    assert.equal(answer.status, 200, answer.text);
    const path = `${CREDENTIALS}/${(await issuedTo(api, person))[0].id}?same_wallet=true`;
    assert.equal((await api.patch(path, { credential: { state: 'suspended' } })).status, 200);
    assert.equal((await api.patch(path, { credential: { state: 'valid' } })).status, 200);
    await takeRole(api, person, world);
    const { text } = await browser.go('/account/activity');
    const actions = ['created', 'suspended', 'resumed', 'revoked'] as const;
    for (const action of actions) {
      const line = `${en.activityEvents[`issued_credential.${action}`]}: Shop &lt;manager&gt;`;
      assert.equal(text.split(line).length - 1, 1, line);
    }
    assert.equal(text.split(en.byAdministrator).length - 1 >= 3, true);
    // The same by the API, without who did it.
    const { events } = (await api.get('/v3/OS-AUDIT/events', { token: person.token })).body;
    const own = events.filter((one: any) => one.action === 'issued_credential.revoked');
    assert.deepEqual(
      own.map((one: any) => [one.actor_id, one.request_id, one.by_other, one.detail]),
      Array(2).fill([null, null, true, { type_id: world.typeId }]),
    );
    const stranger = await makeHolder(api, world);
    const { events: others } = (await api.get('/v3/OS-AUDIT/events', { token: stranger.token })).body;
    assert.ok(!others.some((one: any) => one.action.startsWith('issued_credential.')));
  });

  it('show what was suspended, has expired, or was revoked with the role', async () => {
    const world = await makeRoleWorld(api, { formats: ['dc+sd-jwt'] });
    const short = await makeType(api, world.application, { name: 'Short one', validity_seconds: 600 });
    const person = await makeHolder(api, world);
    const browser = new TestBrowser(api);
    const wallet = new TestCredentialWallet(api);
    await wallet.receiveFor(person, `${short.id}.sd_jwt`);
    await wallet.receiveFor(person, world.sdJwt);
    const [{ id }] = await issuedTo(api, person, `&type_id=${world.typeId}`);
    await withdraw(api, id, 'suspend');
    assert.ok((await browser.signIn(PAGE, person)).text.includes(`(${en.credentialStates.suspended})`));
    api.clock.advance(601);
    const expired = await browser.go(PAGE);
    assert.match(expired.text, new RegExp(`Short one[^·]*${en.credentialStates.expired} <time`));
    assert.equal(expired.forms.filter(({ fields }) => fields.step === 'credential-revoke').length, 1, 'only of the other');
    await takeRole(api, person, world);
    const gone = await browser.go(PAGE);
    assert.ok(gone.text.includes(en.noRolesToTake) && !gone.text.includes(en.credentialStates.suspended));
    assert.match(gone.text, new RegExp(`${en.credentialStates.revoked} <time`));
    await api.delete(`${TYPES}/${world.typeId}`);
    assert.ok((await browser.go(PAGE)).text.includes(world.typeId), 'a type that is gone is named by its id');
  });
});

const WALLET = 'https://wallet.example/open?tenant=one';
onDatabase('SQLite', 'The one wallet of everybody', { settings: { GATEHOUSE_IDENTITY_WALLET_LINK: WALLET } }, (api) => {
  it('is opened with the offer; what is copied is for any wallet', async () => {
    const world = await makeRoleWorld(api, { formats: ['dc+sd-jwt'] });
    const browser = new TestBrowser(api);
    const page = await browser.signIn(PAGE, await makeHolder(api, world));
    const { text } = await browser.submit(page, 'credential-offer');
    const link = new URL(/href="(https:\/\/wallet\.example[^"]+)"/.exec(text)![1]!.replaceAll('&amp;', '&'));
    const copied = new URL(/<code class="copy">(openid-credential-offer:[^<]+)</.exec(text)![1]!);
    assert.equal(link.origin + link.pathname, 'https://wallet.example/open');
    assert.deepEqual([...link.searchParams], [['tenant', 'one'], ...copied.searchParams]);
  });
});

const NODE = 'https://node.example';
const besideIn = (text: string) => /href="(https:\/\/node\.example[^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
for (const haip of ['off', 'on'])
  onDatabase(
    'SQLite',
    `The wallet node that runs with the service (HAIP ${haip})`,
    { settings: { GATEHOUSE_IDENTITY_HAIP: haip } },
    (api) => {
      it('can be opened with the offer if it can receive it: a browser on a desk knows no other wallet', async () => {
        const world = await makeRoleWorld(api, { formats: ['dc+sd-jwt'] });
        const person = await makeHolder(api, world);
        const browser = new TestBrowser(api);
        const before = await browser.submit(await browser.signIn(PAGE, person), 'credential-offer');
        assert.equal(besideIn(before.text), undefined, 'none runs');
        await api.service.registerWallet(NODE);
        const { text } = await browser.submit(await browser.go(PAGE), 'credential-offer');
        const copied = new URL(/<code class="copy">(openid-credential-offer:[^<]+)</.exec(text)![1]!);
        assert.equal(besideIn(text), haip === 'on' ? undefined : `${NODE}/open${copied.search}`);
        assert.ok(text.includes(`href="${copied.href.replaceAll('&', '&amp;')}"`), 'other wallets are opened as before');
      });
    },
  );

const PUBLIC = 'https://id.example.org';
const AT_HOME = 'http://localhost:8080';
for (const url of [PUBLIC, undefined])
  onDatabase(
    'SQLite',
    `A wallet node without an address of its own (${url ?? 'all on one machine'})`,
    { settings: { ...(url && { GATEHOUSE_IDENTITY_URL: url }) } },
    (api) => {
      afterEach(() => mock.restoreAll());

      it('is linked to only where the reader is on the same machine: elsewhere the link leads to whatever runs on theirs', async () => {
        const person = await makeHolder(api, await makeRoleWorld(api, { formats: ['dc+sd-jwt'] }));
        const real = fetch;
        // Like a proxy: the public address outside, ours inside.
        const proxied: typeof fetch = (to, init) => real(String(to).replace(PUBLIC, api.url), init);
        mock.method(globalThis, 'fetch', proxied);
        const browser = new TestBrowser({ url: url ?? api.url });
        const page = await browser.signIn(PAGE, person);
        for (const [node, isShown] of [
          [AT_HOME, url === undefined],
          [NODE, true],
        ] as const) {
          await api.service.registerWallet(node);
          const offered = await browser.submit(page, 'credential-offer');
          assert.ok(offered.text.includes('openid-credential-offer:'), offered.text);
          const home = await browser.request('/', { headers: { Accept: 'application/xhtml+xml' } });
          assert.ok(home.text.includes('href="/account"'), home.text);
          const links = [offered.text.includes(`href="${node}/open`), home.text.includes(`href="${node}/"`)];
          assert.deepEqual(links, [isShown, isShown], node);
        }
      });
    },
  );
