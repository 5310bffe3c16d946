// What an attacker tries with passkeys: one thing wrong at a time, with an authenticator in software.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { underAttack, uniqueName } from '../../../../test/support/api.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { type AuthenticatorTwist, type CreationOptions, SoftAuthenticator } from '../../../../test/support/soft-authenticator.ts';
import { whenAt } from '../../../../test/support/test-points.ts';
import { Gate } from '../../../platform/limits/index.ts';
import { createLog } from '../../../platform/log/index.ts';
import { createChanges } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { createPasskeys, relyingPartyOf } from './index.ts';

const ORIGIN = 'https://login.example.org';
const ATTEMPT = { requestId: 'req-test', address: '127.0.0.1' };
const newChallenge = (): string => randomBytes(32).toString('base64url');

underAttack('A passkey', (api) => {
  let db: Database;
  let hasPassword = true;
  const lines: string[] = [];
  const notified: string[] = [];
  const removed: string[] = [];
  before(async () => {
    db = await databaseOf(api);
  });
  after(() => db.close());

  const passkeysOf = (gate = new Gate(undefined, api.clock), address = ORIGIN) =>
    createPasskeys({
      db,
      clock: api.clock,
      change: createChanges(db, api.clock),
      log: createLog('debug', { write: (line) => void lines.push(line) }),
      notify: async (_, event, userId) => void notified.push(`${event} ${userId}`),
      gate,
      relyingParty: () => relyingPartyOf(address, 'Example'),
      hasOtherWay: async () => hasPassword,
      isRequired: async () => false,
      keepingSecond: (_by, _tx, _userId, remove) => remove(),
      onAdded: async () => {},
      onRemoved: async (_, { id }) => void removed.push(id),
    });

  async function person(gate?: Gate) {
    const user = await api.make('user', { name: uniqueName('person') });
    const [passkeys, authenticator] = [passkeysOf(gate), new SoftAuthenticator(ORIGIN)];
    const actor = { userId: user.id, requestId: 'req-test' };
    const options = async (challenge: string) =>
      (await passkeys.creationOptions({ ...user, displayName: user.name }, challenge)) as CreationOptions;
    const register = async (twist: AuthenticatorTwist = {}, challenge = newChallenge()) => {
      const text = authenticator.create(await options(challenge), twist);
      return { text, row: await passkeys.add(actor, user.id, { challenges: [challenge], text, name: 'a phone' }) };
    };
    const sign = async (twist: AuthenticatorTwist = {}, { userId = undefined as string | undefined, mustVerify = true } = {}) => {
      const question = { challenges: [newChallenge()], userId, mustVerify };
      const text = authenticator.get((await passkeys.requestOptions(question)) as never, twist);
      return { question, text, use: await passkeys.verify(text, question, ATTEMPT) };
    };
    return { user, passkeys, authenticator, actor, options, register, sign };
  }

  it('signs its owner in, and says how', async () => {
    const { user, register, sign, passkeys } = await person();
    const { row } = await register();
    const { use } = await sign();
    assert.deepEqual(use, { userId: user.id, passkeyId: row.id, isUserVerified: true, isSynced: false });
    const [listed] = await passkeys.list(user.id);
    assert.equal(listed!.name, 'a phone');
    assert.notEqual(listed!.last_used_at, null);
  });

  it('has a name in any case, and its owner is told of it', async () => {
    const { user, register, passkeys, actor } = await person();
    const { row } = await register();
    assert.ok(notified.includes(`passkey.added ${user.id}`));
    for (const [name, stored] of [
      [' ', 'Passkey'],
      [' a key ', 'a key'],
      ['x'.repeat(65), 'x'.repeat(64)],
    ] as const) {
      await passkeys.rename(actor, user.id, row.id, name);
      assert.equal((await passkeys.list(user.id))[0]!.name, stored);
    }
  });

  it('is refused in order at an address where there are none', async () => {
    const { user } = await person();
    const nowhere = passkeysOf(undefined, 'https://10.0.0.1');
    const question = { challenges: [newChallenge()], mustVerify: true };
    await assert.rejects(nowhere.requestOptions(question), { code: 'passkey.refused' });
    await assert.rejects(nowhere.verify('{}', question, ATTEMPT), { code: 'passkey.refused' });
    await assert.rejects(nowhere.creationOptions({ ...user, displayName: '' }, newChallenge()), { code: 'passkey.refused' });
  });

  it('works without a handle of its owner, which not every authenticator keeps', async () => {
    const { register, sign } = await person();
    await register();
    for (const userHandle of [null, undefined]) assert.ok((await sign({ userHandle })).use);
  });

  it('is taken with an attestation that it signed itself, and is known as synced if it says so', async () => {
    const { register, sign } = await person();
    await register({ attestation: 'self', isSynced: true });
    assert.equal((await sign({ isSynced: true })).use?.isSynced, true);
  });

  it('leaves nothing in the database but short words, of what a browser says about its transports', async () => {
    const { register, passkeys, user } = await person();
    const long = 'a'.repeat(21);
    for (const transports of ['internal', ['usb', 'smart-card', 7, ['nfc'], '<b>', '', long], Array(30).fill('ble')])
      await register({ transports });
    const stored = (await passkeys.list(user.id)).map((row) => row.transports).sort();
    assert.deepEqual(stored, [JSON.stringify(Array(10).fill('ble')), '["usb","smart-card"]', '[]'].sort());
  });

  interface AskedOptions {
    readonly userVerification: string;
    readonly allowCredentials: readonly { readonly id: string }[];
  }

  it('is asked to verify the person when it is alone, and beside a password only those of the person are asked', async () => {
    const [{ register, passkeys, user }, other] = [await person(), await person()];
    await other.register();
    const { row } = await register();
    const ask = async (userId: string | undefined, mustVerify: boolean) => {
      const options = await passkeys.requestOptions({ challenges: [newChallenge()], userId, mustVerify });
      const { userVerification, allowCredentials } = options as AskedOptions;
      return [userVerification, allowCredentials.map(({ id }) => id)];
    };
    assert.deepEqual(await ask(undefined, true), ['required', []]);
    assert.deepEqual(await ask(user.id, false), ['preferred', [row.credential_id]]);
  });

  describe('is refused', () => {
    const wrongAtUse: Record<string, AuthenticatorTwist> = {
      'from another site': { origin: 'https://login.example.org.evil.example' },
      'over plain http': { origin: 'http://login.example.org' },
      'for another relying party': { rpId: 'example.org' },
      'with a challenge of somebody else': { challenge: newChallenge() },
      'as a registration': { type: 'webauthn.create' },
      'signed by another key': { foreignKey: true },
      'with nobody present': { isUserPresent: false },
      'when the person was not verified': { isUserVerified: false },
      'with a handle that is no text': { userHandle: { toString: null, valueOf: null } },
      'with the handle of another user': { userHandle: Buffer.from('someone else').toString('base64url') },
    };
    for (const [name, twist] of Object.entries(wrongAtUse))
      it(name, async () => {
        const { register, sign } = await person();
        await register();
        assert.equal((await sign(twist)).use, undefined);
        assert.ok((await sign()).use, 'and the honest one still works');
      });

    const wrongAtCreation: Record<string, AuthenticatorTwist> = {
      'for another site': { origin: 'https://evil.example' },
      'for another relying party': { rpId: 'evil.example' },
      'with a challenge of somebody else': { challenge: newChallenge() },
      'as a sign-in': { type: 'webauthn.get' },
    };
    for (const [name, twist] of Object.entries(wrongAtCreation))
      it(`when it was made ${name}`, async () => {
        const { register, passkeys, user } = await person();
        await assert.rejects(register(twist), { code: 'passkey.refused' });
        assert.deepEqual(await passkeys.list(user.id), []);
      });

    it('when it was made with a certificate, before the library sees it, which would call addresses in it', async () => {
      const { register, passkeys, user } = await person();
      const reason = 'an attestation that was not asked for';
      await assert.rejects(register({ attestation: 'certificate' }), { code: 'passkey.refused', reason });
      await assert.rejects(register({ attestation: 'android' }), { code: 'passkey.refused', reason }, 'these have one elsewhere');
      assert.deepEqual(await passkeys.list(user.id), []);
    });

    it('when it is removed while its signature is checked', async () => {
      const { register, sign, passkeys, actor, user } = await person();
      const { row } = await register();
      const { use } = await whenAt('change.before-transaction', () => passkeys.remove(actor, user.id, row.id), sign);
      assert.equal(use, undefined);
    });

    it('when its answer is used a second time', async () => {
      const { register, sign, passkeys } = await person();
      await register();
      const { text, question } = await sign();
      assert.equal(await passkeys.verify(text, question, ATTEMPT), undefined);
    });

    it('when its answer comes twice at once', async () => {
      const { register, authenticator, passkeys } = await person();
      await register();
      const question = { challenges: [newChallenge()], mustVerify: true };
      const text = authenticator.get((await passkeys.requestOptions(question)) as never);
      const uses = await Promise.all([1, 2, 3].map(() => passkeys.verify(text, question, ATTEMPT)));
      assert.equal(uses.filter(Boolean).length, 1);
    });

    it('when its counter goes back, which only a copy does, and its owner is told', async () => {
      const { register, sign, user } = await person();
      await register();
      assert.ok((await sign({ counter: 40 })).use);
      assert.equal((await sign({ counter: 7 })).use, undefined);
      assert.ok(notified.includes(`passkey.cloned ${user.id}`));
      assert.ok(!notified.includes(`passkey.used ${user.id}`), 'and not of every use');
    });

    it('when a copy was used too often, whatever its counter says then', async () => {
      const limited = new Gate(
        { account: { attempts: 3, perSeconds: 60 }, address: { attempts: 9, perSeconds: 60 } },
        { now: () => 0 },
      );
      const { register, sign } = await person(limited);
      await register();
      assert.ok((await sign({ counter: 40 })).use);
      for (let guess = 0; guess < 3; guess++) assert.equal((await sign({ counter: 7 })).use, undefined);
      await assert.rejects(sign({ counter: 41 }), { code: 'request.too_many' });
    });

    it('when others were tried too often in its place', async () => {
      const limits = { account: { attempts: 3, perSeconds: 60 }, address: { attempts: 9, perSeconds: 60 } };
      const { register, sign } = await person(new Gate(limits, { now: () => 0 }));
      await register();
      for (let guess = 0; guess < 3; guess++) assert.equal((await sign({ foreignKey: true })).use, undefined);
      await assert.rejects(sign(), { code: 'request.too_many' });
    });

    it('when it was removed, also by a replay of its registration', async () => {
      const { register, sign, passkeys, actor, user } = await person();
      const challenge = newChallenge();
      const { row, text } = await register({}, challenge);
      await passkeys.remove(actor, user.id, row.id);
      assert.ok(notified.includes(`passkey.removed ${user.id}`), 'its owner is told');
      assert.equal((await sign()).use, undefined);
      await assert.rejects(passkeys.add(actor, user.id, { challenges: [challenge], text, name: 'again' }), {
        code: 'passkey.known',
      });
      assert.deepEqual(await passkeys.list(user.id), []);
    });

    it('as the second factor of somebody else', async () => {
      const [one, other] = [await person(), await person()];
      await one.register();
      assert.equal((await one.sign({}, { userId: other.user.id })).use, undefined);
      assert.ok((await one.sign({ isUserVerified: false }, { userId: one.user.id, mustVerify: false })).use);
    });

    it('when what comes is no answer at all', async () => {
      const { passkeys, register, actor, user } = await person();
      const { text: made } = await register();
      const question = { challenges: [newChallenge()], mustVerify: true };
      const { id } = JSON.parse(made);
      const bad = [
        '',
        'null',
        '[]',
        '{}',
        '"x"',
        '{"id":{}}',
        '{"id":["a"]}',
        made,
        JSON.stringify({ id }),
        JSON.stringify({
          id,
          rawId: id,
          type: 'public-key',
          response: { clientDataJSON: 'e30', authenticatorData: 'x', signature: 7 },
        }),
      ];
      for (const text of bad) {
        assert.equal(await passkeys.verify(text, question, ATTEMPT), undefined, text);
        await assert.rejects(passkeys.add(actor, user.id, { challenges: [newChallenge()], text, name: '' }), {
          code: 'passkey.refused',
        });
      }
    });

    it('past twenty of one person', async () => {
      const { register } = await person();
      for (let i = 0; i < 20; i++) await register();
      await assert.rejects(register(), { code: 'passkey.too_many' });
    });
  });

  it('is there for its owner only, until it is removed, and no other one is taken for it', async () => {
    const [{ register, passkeys, actor, user }, other] = [await person(), await person()];
    await register();
    api.clock.advance(1);
    const { row, text } = await register();
    assert.deepEqual([await passkeys.ownerOf(text), await passkeys.ownerOf('{}')], [user.id, undefined]);
    const isThere = () => Promise.all([user, other.user].map(({ id }) => passkeys.isThere(id, row.id)));
    assert.deepEqual(await isThere(), [true, false]);
    await passkeys.remove(actor, user.id, row.id);
    assert.deepEqual(await isThere(), [false, false]);
    assert.equal(removed.at(-1), row.id);
  });

  /** SQLite has one writer: there the question waits for the removal anyway. */
  it('is not there for whoever asks while it is being removed', { skip: api.kind === 'SQLite' }, async () => {
    const { register, passkeys, user } = await person();
    const { row } = await register();
    const waiting = sql`select 1 from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`;
    const { asked } = await db.write(async (tx) => {
      await tx.updateTable('passkeys').set({ removed_at: 1 }).where('id', '=', row.id).execute();
      let isAnswered = false;
      const answer = passkeys.isThere(user.id, row.id).finally(() => {
        isAnswered = true;
      });
      while (!isAnswered && (await waiting.execute(db.read)).rows.length === 0) await sleep(10);
      return { asked: answer };
    });
    assert.equal(await asked, false);
  });

  it('that is the last way in is not removed by its owner, but by an administrator', async () => {
    const { register, passkeys, actor, user } = await person();
    const { row } = await register();
    hasPassword = false;
    try {
      await assert.rejects(passkeys.remove(actor, user.id, row.id), { code: 'passkey.last_way_in' });
      assert.equal((await passkeys.list(user.id)).length, 1);
      await passkeys.remove({ userId: null, requestId: null }, user.id, row.id);
      assert.deepEqual(await passkeys.list(user.id), []);
    } finally {
      hasPassword = true;
    }
  });

  it('leaves no key, challenge or signature in the log', async () => {
    const { register, sign } = await person();
    await register();
    const { text, question } = await sign({ foreignKey: true });
    const { signature } = JSON.parse(text).response;
    for (const secret of [signature, question.challenges[0]!]) assert.ok(!lines.join('').includes(secret));
  });
});

describe('The relying party', () => {
  it('is the host, where browsers offer passkeys', () => {
    assert.deepEqual(relyingPartyOf('https://id.example.org:8443/', 'Example'), {
      id: 'id.example.org',
      origin: 'https://id.example.org:8443',
      name: 'Example',
    });
    for (const host of ['localhost', 'id.localhost']) assert.equal(relyingPartyOf(`http://${host}:5000`, 'x')?.id, host);
    for (const address of ['http://127.0.0.1:5000', 'https://[::1]:5000', 'https://10.0.0.1', 'http://id.example.org'])
      assert.equal(relyingPartyOf(address, 'x'), undefined, address);
  });
});
