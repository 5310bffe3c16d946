// Requests for credentials. A credential may be a way to sign in: whoever asks for one gets it only as any other way to sign in is added.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onDatabase, onUsualDatabase, underAttack } from '../../../../test/support/api.ts';
import { assign, makeApplication, makePerson, makeRole } from '../../../../test/support/applications.ts';
import { withProofs } from '../../../../test/support/hostile-wallets.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import {
  askOffer,
  askType,
  authorize,
  codeRequest,
  issuedTo,
  makeHolder,
  makeRoleWorld,
  makeType,
  PUBLIC_WALLETS,
  TestCredentialWallet,
  TYPES,
  usesRoleWorld,
  withdraw,
} from '../../../../test/support/role-credentials.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

onUsualDatabase(
  'Credentials are not given',
  (api) => {
    const { world, person } = usesRoleWorld(api);
    let application: RelyingParty;
    before(async () => {
      application = await RelyingParty.make(api);
    });
    const asked = (more: Record<string, string> = {}): string =>
      `${api.url}/openid/authorize?${new URLSearchParams(codeRequest({ scope: world.scope, ...more }).parameters)}`;

    it('to whoever finds an old session: the person signs in again', async () => {
      const browser = new TestBrowser(api);
      await browser.signIn((await application.ask()).url, person);
      assert.equal(stepOf(await browser.go(asked())), 'allow', 'just after a sign-in');
      api.clock.advance(901);
      const page = await browser.go((await application.ask()).url);
      assert.ok(page.redirectTarget?.searchParams.has('code'), 'other requests go on');
      const details = [{ type: 'openid_credential', credential_configuration_id: world.sdJwt }];
      for (const more of [{}, { scope: undefined, authorization_details: JSON.stringify(details) }])
        assert.equal(stepOf(await browser.go(asked(more as Record<string, string>))), 'password');
      const silent = await browser.go(asked({ prompt: 'none' }));
      assert.equal(silent.redirectTarget?.searchParams.get('error'), 'login_required');
      const answer = await authorize(api, codeRequest({ scope: world.scope }), person, { browser });
      assert.ok(answer.has('code'), 'after signing in again');
    });

    it('by the device flow, in which nothing says whose wallet it is', async () => {
      const { id, secret } = application.application;
      const details = [{ type: 'openid_credential', credential_configuration_id: world.sdJwt }];
      for (const what of [{ scope: `openid ${world.scope}` }, { authorization_details: JSON.stringify(details) }]) {
        const answer = await fetch(`${api.url}/openid/device/authorize`, {
          method: 'POST',
          headers: { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
          body: new URLSearchParams({ client_id: id, ...(what as Record<string, string>) }),
        });
        assert.equal(answer.status, 400, await answer.clone().text());
        assert.match(((await answer.json()) as { error: string }).error, /^invalid_(target|scope|request)$/);
      }
    });
  },
  { settings: PUBLIC_WALLETS },
);

onUsualDatabase('A wallet that was lost', (api) => {
  it('gets nothing more by what it was given, when its owner revokes or suspends what is in it', async () => {
    const world = await makeRoleWorld(api);
    const wallet = new TestCredentialWallet(api);
    for (const how of ['revoke', 'suspend'] as const) {
      const person = await makeHolder(api, world);
      const token = await wallet.tokenFor(person, world.sdJwt);
      await wallet.receive(token, world.sdJwt);
      const [{ id }] = await issuedTo(api, person);
      await withdraw(api, id, how, how === 'revoke' ? { token: person.token } : {});
      const again = await wallet.ask(token, world.sdJwt);
      assert.deepEqual([again.status, again.body.error], [400, 'credential_request_denied'], again.text);
      assert.ok(await wallet.receiveFor(person, world.sdJwt), 'by another authorization');
    }
  });
});

onUsualDatabase('Names of types', (api) => {
  const { world, person } = usesRoleWorld(api);

  it('that are given up are not said any more', async () => {
    const wallet = new TestCredentialWallet(api);
    const token = await wallet.tokenFor(person, world.sdJwt, world.jwtVc);
    for (const id of [world.sdJwt, world.jwtVc]) await wallet.receive(token, id);
    const states = async () =>
      Object.fromEntries((await issuedTo(api, person)).map((one) => [one.format, [one.state, one.reason]]));
    await api.patch(`${TYPES}/${world.typeId}`, { credential_type: { name: 'Another title' } });
    assert.deepEqual(await states(), { 'dc+sd-jwt': ['valid', null], jwt_vc_json: ['valid', null] });
    const renamed = await api.patch(`${TYPES}/${world.typeId}`, { credential_type: { type: 'SomethingElse' } });
    assert.equal(renamed.status, 200, renamed.text);
    // Others may call theirs so from now on.
    assert.deepEqual(await states(), { 'dc+sd-jwt': ['valid', null], jwt_vc_json: ['revoked', 'type_changed'] });
  });

  it('are not taken over while credentials say them', async () => {
    const [owner, thief] = [await makePerson(api), await makePerson(api)];
    const own = await makeApplication(api, {}, owner.token);
    const other = await makeApplication(api, {}, thief.token);
    const role = await makeRole(api, own);
    await assign(api, { user: person, application: own, role });
    const { id } = await makeType(api, own, {}, owner.token);
    await new TestCredentialWallet(api).receiveFor(person, `${id}.sd_jwt`);
    assert.equal((await api.delete(`${TYPES}/${id}`, { token: owner.token })).status, 204);
    assert.equal((await askType(api, other, { id }, thief.token)).status, 409);
    assert.equal((await askType(api, own, { id }, owner.token)).status, 201, 'whose it was makes it again');
  });
});

underAttack('Nobody fills the tables', (api) => {
  const db = usesDatabaseOf(api);
  const { world, person } = usesRoleWorld(api);

  it('with offers that are made at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => askOffer(api, person, [world.sdJwt])));
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, 20, String(statuses));
  });

  it('with notifications that are repeated', async () => {
    const holder = await makeHolder(api, world);
    const wallet = new TestCredentialWallet(api);
    const token = await wallet.tokenFor(holder, world.sdJwt);
    const { body } = await wallet.ask(token, world.sdJwt);
    const content = JSON.stringify({ notification_id: body.notification_id, event: 'credential_accepted' });
    for (let time = 0; time < 3; time++) {
      const { status, text } = await wallet.send('/openid/credentials/notification', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...(await wallet.authorization(token, '')) },
        body: content,
      });
      assert.equal(status, 204, text);
    }
    const events = await db()
      .read.selectFrom('audit_events')
      .where('action', '=', 'issued_credential.accepted')
      .where('target_id', '=', holder.id)
      .selectAll()
      .execute();
    assert.equal(events.length, 1);
  });
});

onDatabase('SQLite', 'A wallet that asks without end', { rateLimits: true }, (api) => {
  const { world, person } = usesRoleWorld(api);

  it('is told to wait after sixty requests for one person, before its proofs are looked at', async () => {
    const wallet = new TestCredentialWallet(api);
    const token = await wallet.tokenFor(person, world.sdJwt);
    api.clock.hold();
    const statuses: number[] = [];
    for (let i = 0; i < 61; i++) statuses.push((await wallet.request(token, withProofs(world.sdJwt, ['no proof']))).status);
    assert.deepEqual(statuses, [...Array(60).fill(400), 429]);
  });
});
