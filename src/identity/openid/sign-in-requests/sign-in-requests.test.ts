// Applications ask a person to sign in who is somewhere else (CIBA Core 1.0): by asking for the answer, or being told of it.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { decodeJwt } from 'jose';
import { onEachDatabase } from '../../../../test/support/api.ts';
import { until } from '../../../../test/support/mailbox.ts';
import { Asked, Asker, allDone, PingReceiver } from '../../../../test/support/sign-in-requests.ts';

onEachDatabase('Requests that a person signs in somewhere else', (api) => {
  let receiver: PingReceiver;
  before(async () => {
    receiver = await PingReceiver.start();
  });
  after(() => receiver.stop());

  it('shows the person who asks for what, and gives the application tokens when they allow it, once', async () => {
    const [asker, asked] = [await Asker.make(api, { require_auth_time: true }), await Asked.make(api)];
    const answer = await asker.ask({
      login_hint: asked.person.name,
      scope: 'openid email',
      binding_message: 'Counter 7 · <b>42</b>',
      acr_values: 'https://refeds.org/profile/sfa',
    });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual({ ...answer.body, auth_req_id: '' }, { auth_req_id: '', expires_in: 300, interval: 5 });
    const id = answer.body.auth_req_id;
    assert.equal((await asker.poll(id)).body.error, 'authorization_pending');
    await asked.see();
    const { text } = await asked.page();
    assert.match(text, new RegExp(`${asker.name} asks you to sign in`));
    assert.match(text, /Counter 7 · &lt;b&gt;42&lt;\/b&gt;/);
    assert.match(text, /127\.0\.0\.1/);
    assert.match((await asked.answer('allow-request')).text, /You have allowed it/);
    const tokens = await asker.poll(id);
    assert.equal(tokens.status, 200, tokens.text);
    const claims = decodeJwt(tokens.body.id_token);
    assert.deepEqual([claims.sub, claims.aud, claims.acr], [asked.person.id, asker.id, 'https://refeds.org/profile/sfa']);
    assert.ok(Math.abs(Number(claims.auth_time) - Date.now() / 1000) < 300);
    assert.deepEqual(claims.amr, ['pwd']);
    const bearer = { token: null, headers: { Authorization: `Bearer ${tokens.body.access_token}` } };
    assert.equal((await api.get('/openid/userinfo', bearer)).body.email, asked.person.user.email);
    assert.deepEqual(await asked.waiting(), []);
    const again = await asker.poll(id);
    assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant']);
    assert.equal((await api.get('/openid/userinfo', bearer)).status, 401, 'whoever comes second ends what the first got');
  });

  it('says that the person refused, or that it has ended', async () => {
    const [asker, asked] = [await Asker.make(api), await Asked.make(api)];
    const [refused, ended] = [
      await asker.begin({ login_hint: asked.person.name }),
      await asker.begin({ login_hint: 'nobody of this name', requested_expiry: '1' }),
    ];
    await asked.see();
    assert.match((await asked.answer('refuse-request')).text, /You have refused it/);
    assert.equal((await asker.poll(refused)).body.error, 'access_denied');
    await until(async () => (await asker.poll(ended)).body.error === 'expired_token', 'it ends');
  });

  it('finds the person by their address, and by an ID token of theirs', async () => {
    const [asker, asked] = [await Asker.make(api), await Asked.make(api)];
    const first = await asker.begin({ login_hint: asked.person.name });
    await asked.see();
    await asked.answer('allow-request');
    const { id_token: hint } = (await asker.poll(first)).body;
    await asker.begin({ id_token_hint: hint });
    await asked.see();
    await asked.answer('refuse-request');
  });

  it('tells an application of the answer, with its token', async () => {
    const asker = await Asker.make(api, {
      backchannel_token_delivery_mode: 'ping',
      backchannel_client_notification_endpoint: receiver.uri,
    });
    const asked = await Asked.make(api);
    assert.equal((await asker.ask({ login_hint: asked.person.name })).body.error, 'invalid_request', 'it needs a token');
    const id = await asker.begin({ login_hint: asked.person.name, client_notification_token: 'a-token-of-the-application' });
    await asked.see();
    await asked.answer('allow-request');
    const told = () => receiver.heard.find(({ body }) => body.auth_req_id === id);
    await until(() => told() !== undefined, 'the ping');
    assert.deepEqual(told(), { authorization: 'Bearer a-token-of-the-application', body: { auth_req_id: id } });
    assert.equal((await asker.poll(id)).status, 200);
  });

  it('lets a person say who may ask', async () => {
    const [asker, asked] = [await Asker.make(api, { backchannel_user_code_parameter: true }), await Asked.make(api)];
    assert.match((await asked.choose('code', 'short')).text, /6 to 32/);
    assert.match((await asked.choose('code', 'correct7')).text, /It is stored/);
    for (const code of ['wrong777', '', 'correct7']) await asker.begin({ login_hint: asked.person.name, user_code: code });
    assert.equal((await asked.see()).length, 1);
    await asked.answer('refuse-request');
    await asked.choose('none');
    await asker.begin({ login_hint: asked.person.name, user_code: 'correct7' });
    await allDone(api);
    await asked.choose('all');
    await asker.begin({ login_hint: asked.person.name });
    assert.equal((await asked.see()).length, 1);
  });
});

onEachDatabase('An application that asks too often for an answer', (api) => {
  it('has to slow down', async () => {
    api.clock.hold();
    const asker = await Asker.make(api);
    const id = await asker.begin({ login_hint: 'nobody of this name' });
    assert.equal((await asker.poll(id)).body.error, 'authorization_pending');
    assert.equal((await asker.poll(id)).body.error, 'slow_down');
    api.clock.advance(6);
    assert.equal((await asker.poll(id)).body.error, 'slow_down', 'it has to wait longer now');
    api.clock.advance(16);
    assert.equal((await asker.poll(id)).body.error, 'authorization_pending');
  });
});
