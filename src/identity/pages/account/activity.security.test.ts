// What happened to an account: one's own events only, in plain words, whatever others wrote into them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const ACTIVITY = '/account/activity';
const { en, es } = LANGUAGES;
const EVIL = '<img src=x onerror=alert(1)>';

onUsualDatabase('The activity on the account page', (api) => {
  it('has sign-ins, refused ones and changes, with browser and address, and nothing of an administrator', async () => {
    const person = await makeUser(api);
    const party = await RelyingParty.make(api, { url: 'https://app.example.org/start', name: `App ${EVIL}` });
    const browser = new TestBrowser(api, { 'user-agent': `Mozilla/5.0 (Windows NT 10.0) Firefox/128.0 ${EVIL}` });
    await new TestBrowser(api).signIn(ACTIVITY, { ...person, password: 'wrong' });
    await party.tokensFor(person, {}, browser);
    const security = await browser.go('/account/security');
    const fresh = { new_password: 'another password', new_password_again: 'another password' };
    await browser.submit(security, 'change-password', { current_password: 'not it', ...fresh });
    assert.equal(
      (await api.patch(`/v3/users/${person.id}`, { user: { description: 'a secret of administrators' } })).status,
      200,
    );
    const { text } = await browser.go(ACTIVITY);
    for (const part of [
      en.activityEvents['user.logged_in'],
      en.activityEvents['user.login_refused'],
      en.activityEvents['consent.given'],
      en.wrongPasswordEntered,
      en.byAdministrator,
      'Firefox on Windows, from 127.0.0.1',
      'https://app.example.org/start',
    ])
      assert.ok(text.includes(part), part);
    assert.ok(!text.includes(EVIL) && !text.includes('secret of administrators') && !text.includes('description'));
    const spanish = await new TestBrowser(api, { 'accept-language': 'es' }).signIn(ACTIVITY, person);
    assert.ok(spanish.text.includes(es.activityEvents['user.logged_in']));
  });

  it('is in pages, and nobody else is in it', async () => {
    const [person, other] = [await makeUser(api), await makeUser(api)];
    const db = await databaseOf(api);
    try {
      const event = (at: number, target: string, action: string) => ({
        ...{
          id: `${at}`.padStart(32, 'a'),
          at,
          request_id: null,
          actor_id: null,
          action,
          target_kind: 'user',
          target_id: target,
        },
        ...{ outcome: 'success', detail: JSON.stringify({ address: `192.0.2.${at}`, name: `event ${at}` }) },
      });
      const rows = [
        ...Array.from({ length: 30 }, (_, index) => event(index + 1, person.id, 'passkey.added')),
        event(100, other.id, 'passkey.added'),
        event(101, person.id, 'user.password_rehashed'),
      ];
      await db.write(async (tx) => {
        await tx.insertInto('audit_events').values(rows).execute();
        await tx.updateTable('audit_events').set({ at: 0 }).where('at', '>', 200).where('target_id', '=', person.id).execute();
      });
    } finally {
      await db.close();
    }
    const browser = new TestBrowser(api);
    const first = await browser.signIn(ACTIVITY, person);
    const eventsOn = (text: string): number[] => [...text.matchAll(/: event (\d+)</g)].map(([, at]) => Number(at));
    const older = /href="(\/account\/activity\?before=[^"]+)"/.exec(first.text)![1]!;
    const second = await browser.go(older);
    assert.deepEqual(
      [...eventsOn(first.text), ...eventsOn(second.text)],
      Array.from({ length: 30 }, (_, index) => 30 - index),
    );
    assert.ok(![first, second].some(({ text }) => /event 10[01]/.test(text)));
    for (const before of ['', 'x', '1.', `1.${EVIL}`, '9'.repeat(40), "1.' or 1=1"])
      assert.equal((await browser.go(`${ACTIVITY}?before=${encodeURIComponent(before)}`)).status, 200, before);
  });
});
