// Model-based test: after any sequence of steps by two owners, answers, documents and rows match a model of the contract.
// Concurrent steps leave a consistent state. On both databases.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { it } from 'node:test';
import fc from 'fast-check';
import type { ApiAnswer } from '../../../test/support/api.ts';
import { inFullRun } from '../../../test/support/extent.ts';
import { onEachWallet, type TestWallet, type WalletUser } from '../../../test/support/wallet.ts';
import { assertProblem } from '../../../test/support/wallet-answers.ts';
import { type ModelDid, type ModelKey, type ModelRefusal, WalletModel } from '../../../test/support/wallet-model.ts';
import { inDatabase } from '../../../test/support/wallet-rows.ts';
import { publicJwkOf, thumbprintOf } from '../../verifiable/jose/index.ts';

const KEYS = '/api/v1/wallet/keys';
const DIDS = '/api/v1/wallet/dids';

/** Keys to import: few, so that some are imported twice. */
const BROUGHT = Array.from({ length: 3 }, () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  return { jwk: privateKey.export({ format: 'jwk' }), kid: thumbprintOf(publicJwkOf(privateKey)) };
});

interface Real {
  readonly wallet: TestWallet;
  readonly people: readonly [WalletUser, WalletUser];
  /** Unlike any of another run. */
  readonly run: string;
  /** What is gone, too: steps about it must find nothing. */
  readonly keys: ModelKey[];
  readonly dids: ModelDid[];
  readonly answers: Map<string, unknown>;
}

type Run = (model: WalletModel, real: Real) => Promise<void>;

class Step implements fc.AsyncCommand<WalletModel, Real> {
  readonly #text: string;
  readonly #run: Run;
  readonly #needs: 'keys' | 'dids' | undefined;
  constructor(text: string, run: Run, needs?: 'keys' | 'dids') {
    this.#text = text;
    this.#run = run;
    this.#needs = needs;
  }
  check = (_model: Readonly<WalletModel>): boolean => true;
  async run(model: WalletModel, real: Real): Promise<void> {
    // Steps about something wait until there is something.
    if (this.#needs && real[this.#needs].length === 0) return;
    // No two things are made in the same millisecond.
    real.wallet.clock.advance(0.01);
    await this.#run(model, real);
    await assertAgrees(model, real);
  }
  toString = (): string => this.#text;
}

const ownerAt = (at: number): string => `owner ${at}`;

/** The answer is the refusal that was expected, or a success; says whether it was a success. */
function settles(answer: ApiAnswer, refusal: ModelRefusal | undefined, success = 200): boolean {
  if (refusal) assertProblem(answer, refusal.status, refusal.code);
  else assert.equal(answer.status, success, answer.text);
  return refusal === undefined;
}

const kidsOf = (document: any): string[] => (document.verificationMethod ?? []).map(({ id }: any) => id.split('#')[1]);

async function assertAgrees(model: WalletModel, { wallet, people, dids }: Real): Promise<void> {
  for (const [at, person] of people.entries()) {
    const owner = ownerAt(at);
    const keys = (await person.get(KEYS)).body;
    assert.deepEqual(
      keys.map(({ id, kid, alias, state, default: isDefault, successorId, predecessorId, dids: carriers }: any) => [
        ...[id, kid, alias, state, isDefault, successorId, predecessorId],
        carriers.sort(),
      ]),
      model
        .keysOf(owner)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map((key) => [
          ...[key.id, key.kid, key.alias, key.state, key.isDefault, key.successorId, key.predecessorId],
          model
            .carriers(key)
            .map(({ did }) => did)
            .sort(),
        ]),
    );
    const now = wallet.clock.now();
    const listed = (await person.get(DIDS)).body;
    assert.deepEqual(
      listed.map(({ id, did, state, versionId, keys: carried, method, document }: any) => [
        ...[id, did, state, versionId],
        carried.map(({ keyId }: any) => keyId),
        method === 'web' ? kidsOf(document) : [],
      ]),
      model
        .didsOf(owner)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map((did) => [
          ...[did.id, did.did, did.state, did.version, did.keyIds],
          did.method === 'web' ? model.shown(did, now) : [],
        ]),
    );
  }
  for (const name of new Set(dids.map((did) => did.name))) {
    if (name === undefined) continue;
    const { status, body } = await wallet.get(`/dids/${name}/did.json`);
    const published = [...model.dids.values()].find((did) => did.name === name && did.state === 'published');
    assert.equal(status, published ? 200 : 404);
    if (published) assert.deepEqual(kidsOf(body), model.shown(published, wallet.clock.now()));
  }
}

/** Nothing of a key that ended is left, and the rows say what the model says. */
async function assertRowsAgree(model: WalletModel, { wallet, keys, dids }: Real): Promise<void> {
  await inDatabase(wallet, async (tx) => {
    const ids = keys.map(({ id }) => id);
    const rows = ids.length > 0 ? await tx.selectFrom('keys').where('id', 'in', ids).selectAll().execute() : [];
    assert.deepEqual(
      rows.map(({ id, state }) => `${id} ${state}`).sort(),
      [...model.keys.values()].map(({ id, state }) => `${id} ${state}`).sort(),
    );
    for (const { state, material, wrapped_key: wrapped } of rows)
      assert.deepEqual([material === null, wrapped === null], state === 'revoked' ? [true, true] : [false, false]);
    const all = dids.map(({ id }) => id);
    const carried = all.length > 0 ? await tx.selectFrom('did_keys').where('did_id', 'in', all).selectAll().execute() : [];
    assert.deepEqual(
      carried.map((row) => `${row.did_id} ${row.key_id}`).sort(),
      [...model.dids.values()].flatMap(({ id, keyIds }) => keyIds.map((key) => `${id} ${key}`)).sort(),
    );
  });
}

const person = fc.nat({ max: 1 });
const which = fc.nat({ max: 1000 });
const alias = fc.option(fc.constantFrom('a', 'b'), { nil: undefined });
const chosen = <T>(list: readonly T[], at: number): T => list[at % list.length]!;

/** Mostly what can still be used, sometimes what has ended, and now and then what is gone. */
function keyAt({ keys }: WalletModel, real: Real, pick: number): ModelKey {
  const there = [...keys.values()];
  const active = there.filter(({ state }) => state === 'active');
  const lists = pick % 8 === 0 ? [real.keys] : pick % 8 < 6 ? [active, there, real.keys] : [there, real.keys];
  return chosen(lists.find((list) => list.length > 0)!, Math.floor(pick / 8));
}

function didAt({ dids }: WalletModel, real: Real, pick: number): ModelDid {
  const there = [...dids.values()];
  return chosen(pick % 8 === 0 || there.length === 0 ? real.dids : there, Math.floor(pick / 8));
}

const query = (force: boolean): string => (force ? '?force=true' : '');

/** Mostly the owner; now and then somebody else, who finds nothing. */
const stranger = fc.integer({ min: 0, max: 9 }).map((n) => n === 0);
const seldom = fc.integer({ min: 0, max: 3 }).map((n) => n === 0);
const actorOf = (owner: string, isStranger: boolean): number => ((owner === ownerAt(0)) === isStranger ? 1 : 0);

const create = fc.tuple(person, alias, fc.option(fc.boolean(), { nil: undefined })).map(
  ([at, name, isDefault]) =>
    new Step(`create ${at} ${name} ${isDefault}`, async (model, real) => {
      const refusal = model.refusesKey(ownerAt(at), name);
      const answer = await real.people[at]!.post(KEYS, { algorithm: 'EdDSA', alias: name, default: isDefault });
      if (!settles(answer, refusal, 201)) return;
      model.addKey(ownerAt(at), answer.body, name, isDefault);
      real.keys.push(model.keys.get(answer.body.id)!);
    }),
);

const bring = fc.tuple(person, which, alias).map(
  ([at, key, name]) =>
    new Step(`import ${at} ${key % BROUGHT.length} ${name}`, async (model, real) => {
      const { jwk, kid } = chosen(BROUGHT, key);
      const refusal = model.refusesKey(ownerAt(at), name, kid);
      const answer = await real.people[at]!.post(KEYS, { jwk, alias: name });
      if (!settles(answer, refusal, 201)) return;
      assert.equal(answer.body.kid, kid);
      model.addKey(ownerAt(at), answer.body, name, undefined);
      real.keys.push(model.keys.get(answer.body.id)!);
    }),
);

const rotate = fc.tuple(which, stranger, alias, fc.constantFrom(0, 60, 600)).map(
  ([pick, strange, name, seconds]) =>
    new Step(
      `rotate ${pick} ${strange} ${name} ${seconds}`,
      async (model, real) => {
        const key = keyAt(model, real, pick);
        const at = actorOf(key.owner, strange);
        const refusal = model.refusesRotation(ownerAt(at), key, name ?? key.alias);
        const body = { alias: name, gracePeriod: `PT${seconds}S` };
        const answer = await real.people[at]!.post(`${KEYS}/${key.id}/rotate`, body);
        if (!settles(answer, refusal)) return;
        const { rotatedAt } = answer.body.replaces;
        assert.ok(Math.abs(Date.parse(rotatedAt) - real.wallet.clock.now()) < 1000, 'the clock is held');
        model.rotate(key, answer.body, name, Date.parse(rotatedAt) + seconds * 1000);
        real.keys.push(model.keys.get(answer.body.id)!);
      },
      'keys',
    ),
);

const revoke = fc.tuple(which, stranger, seldom, seldom).map(
  ([pick, strange, force, followed]) =>
    new Step(
      `revoke ${pick} ${strange} ${force} ${followed}`,
      async (model, real) => {
        const key = keyAt(model, real, pick);
        const at = actorOf(key.owner, strange);
        const refusal = model.refusesRevocation(ownerAt(at), key, { force, followed });
        const path = `${KEYS}/${key.id}/revoke${query(force)}`;
        const answer = await real.people[at]!.post(path, followed ? { successor: {} } : {});
        if (!settles(answer, refusal)) return;
        const { successorId, republishedDids, affectedCredentials } = answer.body;
        const list = (await real.people[at]!.get(KEYS)).body;
        const isNew = key.state === 'active' && followed;
        const successor = isNew ? list.find(({ id }: any) => id === successorId) : undefined;
        assert.equal(successor !== undefined, isNew);
        // Again and again the same answer, as far as it does not tell what the key is used by.
        if (!model.revoke(key, successor))
          assert.deepEqual(answer.body, { ...(real.answers.get(key.id) as object), dids: answer.body.dids });
        else if (successor) real.keys.push(model.keys.get(successor.id)!);
        real.answers.set(key.id, answer.body);
        assert.deepEqual([republishedDids.sort(), affectedCredentials], [key.republished, []]);
      },
      'keys',
    ),
);

const purge = fc.tuple(which, stranger, seldom).map(
  ([pick, strange, force]) =>
    new Step(
      `purge ${pick} ${strange} ${force}`,
      async (model, real) => {
        const key = keyAt(model, real, pick);
        const at = actorOf(key.owner, strange);
        const refusal = model.refusesPurge(ownerAt(at), key, force);
        const carriers = model.carriers(key).map(({ did }) => did);
        const answer = await real.people[at]!.delete(`${KEYS}/${key.id}${query(force)}`);
        if (settles(answer, refusal, 204)) model.purge(key);
        else if (refusal!.code === 'key-in-use') assert.deepEqual(answer.body.references.dids.sort(), carriers.sort());
      },
      'keys',
    ),
);

const provision = fc.tuple(fc.tuple(which, which), stranger, fc.option(fc.nat({ max: 3 }), { nil: undefined })).map(
  ([picks, strange, place]) =>
    new Step(
      `provision ${picks} ${strange} ${place}`,
      async (model, real) => {
        const found = [...new Set(picks.map((pick) => keyAt(model, real, pick)))];
        const together = found.filter(({ owner }) => strange || owner === found[0]!.owner);
        const keys = place === undefined ? found.slice(0, 1) : together;
        const at = actorOf(keys[0]!.owner, strange);
        const name = place === undefined ? undefined : `${real.run}-${place}`;
        const refusal = model.refusesDid(ownerAt(at), keys, name);
        const keyIds = keys.map(({ id }) => id);
        const answer = await real.people[at]!.post(DIDS, name === undefined ? { method: 'key', keyIds } : { path: name, keyIds });
        if (!settles(answer, refusal, 201)) return;
        model.addDid(ownerAt(at), answer.body, keys, name);
        real.dids.push(model.dids.get(answer.body.id)!);
      },
      'keys',
    ),
);

const didStep = fc.tuple(which, stranger, fc.constantFrom('publish', 'publish', 'unpublish', 'delete')).map(
  ([pick, strange, step]) =>
    new Step(
      `${step} ${pick} ${strange}`,
      async (model, real) => {
        const did = didAt(model, real, pick);
        const at = actorOf(did.owner, strange);
        const refusal = model.refusesDidStep(ownerAt(at), did, step);
        const path = `${DIDS}/${did.id}`;
        const answer = await (step === 'delete' ? real.people[at]!.delete(path) : real.people[at]!.post(`${path}/${step}`));
        if (settles(answer, refusal, step === 'delete' ? 204 : 200)) model.didStep(did, step);
      },
      'dids',
    ),
);

const wait = fc.constantFrom(30, 90, 900).map(
  (seconds) =>
    new Step(`wait ${seconds}`, async (model, { wallet }) => {
      wallet.clock.advance(seconds);
      // Not when somebody's time is just running out: documents tell times by the second.
      const isClose = () =>
        [...model.keys.values()].some(({ verifyUntil = 0 }) => Math.abs(verifyUntil - wallet.clock.now()) < 3000);
      while (isClose()) wallet.clock.advance(4);
      await wallet.service.sweep();
      model.sweep(wallet.clock.now());
    }),
);

/** Each has a published DID and a did:key of one key: what is worth doing wrong needs something to do it to. */
async function prepare(model: WalletModel, real: Real): Promise<void> {
  for (const [at, who] of real.people.entries()) {
    const owner = ownerAt(at);
    const { jwk } = BROUGHT[0]!;
    const made = await who.make('keys', { jwk });
    model.addKey(owner, made, undefined, undefined);
    const key = model.keys.get(made.id)!;
    real.keys.push(key);
    const name = `${real.run}-${at}`;
    for (const [body, path] of [
      [{ path: name }, name],
      [{ method: 'key' }, undefined],
    ] as const) {
      const did = await who.make('dids', { ...body, keyIds: [made.id] });
      model.addDid(owner, did, [key], path);
      real.dids.push(model.dids.get(did.id)!);
      if (path === undefined) continue;
      assert.equal((await who.post(`${DIDS}/${did.id}/publish`)).status, 200);
      model.didStep(model.dids.get(did.id)!, 'publish');
    }
  }
}

/** Runs that would begin after this are left out. One always runs to its end: interrupted half way it would prove nothing. */
const ENOUGH_MS = 15_000;

onEachWallet('Keys and DIDs', (wallet) => {
  let runs = 0;

  async function begin(): Promise<Real> {
    const people = [await wallet.logIn(), await wallet.logIn()] as const;
    // Nobody's time runs out while an answer is on its way, however slow the machine is.
    wallet.clock.hold();
    return { wallet, people, run: `run-${++runs}`, keys: [], dids: [], answers: new Map() };
  }

  it('match the model of the contract after any sequence of steps', async () => {
    const steps = fc.commands(
      [create, bring, bring, rotate, rotate, revoke, revoke, purge, purge, provision, provision, didStep, didStep, didStep, wait],
      {
        maxCommands: 60,
        size: 'max',
      },
    );
    const until = Date.now() + ENOUGH_MS;
    await fc.assert(
      fc.asyncProperty(steps, async (commands) => {
        if (Date.now() > until) return;
        const model = new WalletModel();
        const real = await begin();
        await prepare(model, real);
        await fc.asyncModelRun(() => ({ model, real }), commands);
        await assertRowsAgree(model, real);
      }),
      { numRuns: inFullRun(20, 8) },
    );
  });

  type Request = (person: WalletUser, keys: readonly string[], dids: readonly string[], run: string) => Promise<ApiAnswer>;
  const key = (keys: readonly string[], pick: number): string => `${KEYS}/${chosen(keys, pick)}`;
  const requests: fc.Arbitrary<Request> = fc.oneof(
    fc.tuple(alias, fc.boolean()).map(
      ([name, isDefault]): Request =>
        (who) =>
          who.post(KEYS, { algorithm: 'EdDSA', alias: name, default: isDefault }),
    ),
    which.map(
      (at): Request =>
        (who) =>
          who.post(KEYS, { jwk: chosen(BROUGHT, at).jwk }),
    ),
    fc.tuple(which, alias, fc.constantFrom(0, 60)).map(
      ([at, name, seconds]): Request =>
        (who, keys) =>
          who.post(`${key(keys, at)}/rotate`, { alias: name, gracePeriod: `PT${seconds}S` }),
    ),
    fc.tuple(which, fc.boolean(), fc.boolean()).map(
      ([at, force, followed]): Request =>
        (who, keys) =>
          who.post(`${key(keys, at)}/revoke${query(force)}`, followed ? { successor: {} } : {}),
    ),
    fc.tuple(which, fc.boolean()).map(
      ([at, force]): Request =>
        (who, keys) =>
          who.delete(key(keys, at) + query(force)),
    ),
    fc.tuple(which, which, fc.nat({ max: 2 })).map(
      ([at, other, name]): Request =>
        (who, keys, _dids, run) =>
          who.post(DIDS, { path: `${run}-${name}`, keyIds: [...new Set([chosen(keys, at), chosen(keys, other)])] }),
    ),
    fc.tuple(which, fc.constantFrom('publish', 'publish', 'unpublish')).map(
      ([at, step]): Request =>
        (who, _keys, dids) =>
          who.post(`${DIDS}/${chosen(dids, at)}/${step}`),
    ),
    which.map(
      (at): Request =>
        (who, _keys, dids) =>
          who.delete(`${DIDS}/${chosen(dids, at)}`),
    ),
    fc.constant<Request>(async (who) => {
      await wallet.service.sweep();
      return who.get(KEYS);
    }),
  );

  /** Version and thumbprints as they were: neither goes back, and none becomes another's. */
  interface Seen {
    readonly versions: Map<string, number>;
    readonly methods: Map<string, string>;
  }

  async function assertConsistent(people: readonly WalletUser[], seen: Seen, names: readonly string[]): Promise<void> {
    const published = new Map<string, string[]>();
    for (const who of people) {
      const keys: any[] = (await who.get(`${KEYS}?limit=200`)).body;
      const dids: any[] = (await who.get(`${DIDS}?limit=200`)).body;
      assert.ok(keys.filter((one) => one.default).length <= 1, 'one default key');
      assert.ok(
        keys.every((one) => !one.default || one.state === 'active'),
        'the default key is active',
      );
      const aliases = keys.filter((one) => one.state === 'active' && one.alias !== undefined).map((one) => one.alias);
      assert.equal(new Set(aliases).size, aliases.length, 'aliases of active keys');
      const byId = new Map(keys.map((one) => [one.id, one]));
      for (const one of keys) {
        const { successorId, predecessorId } = one;
        assert.equal(one.state === 'active' && successorId !== undefined, false, 'an active key has no successor');
        if (byId.has(successorId)) assert.equal(byId.get(successorId).predecessorId, one.id);
        if (byId.has(predecessorId)) assert.equal(byId.get(predecessorId).successorId, one.id);
      }
      for (const one of dids) {
        assert.ok(one.versionId >= (seen.versions.get(one.id) ?? 1), 'versions only go up');
        seen.versions.set(one.id, one.versionId);
        const now = wallet.clock.now();
        const shown = one.keys
          .map(({ keyId }: any) => byId.get(keyId))
          .filter((each: any) => each.state === 'active' || (each.state === 'rotated' && Date.parse(each.verifyUntil) > now));
        for (const { keyId, verificationMethod } of one.keys) {
          assert.equal(seen.methods.get(verificationMethod) ?? keyId, keyId, 'a verification method is of one key for ever');
          seen.methods.set(verificationMethod, keyId);
        }
        if (one.state === 'published')
          published.set(
            one.documentUrl,
            shown.map(({ kid }: any) => kid),
          );
      }
    }
    for (const name of names) {
      const { status, body } = await wallet.get(`/dids/${name}/did.json`);
      const kids = [...published].find(([url]) => url.endsWith(`/${name}/did.json`))?.[1];
      assert.deepEqual([status, status === 200 ? kidsOf(body) : undefined], kids ? [200, kids] : [404, undefined]);
    }
    await inDatabase(wallet, async (tx) => {
      const left = await tx
        .selectFrom('keys')
        .where('state', '=', 'revoked')
        .where('material', 'is not', null)
        .select('id')
        .execute();
      assert.deepEqual(left, []);
      const dead = await tx
        .selectFrom('keys')
        .where('state', '!=', 'revoked')
        .where('material', 'is', null)
        .select('id')
        .execute();
      assert.deepEqual(dead, []);
    });
  }

  it('stay consistent with concurrent requests', async () => {
    const batches = fc.array(fc.array(fc.tuple(person, stranger, requests), { minLength: 4, maxLength: 12 }), {
      minLength: 2,
      maxLength: 5,
    });
    const until = Date.now() + ENOUGH_MS;
    await fc.assert(
      fc.asyncProperty(batches, async (rounds) => {
        if (Date.now() > until) return;
        const { people, run } = await begin();
        const seen: Seen = { versions: new Map(), methods: new Map() };
        const names = [0, 1, 2].map((n) => `${run}-${n}`);
        // Something to run into from the beginning.
        const first = await people[0].make('keys', { alias: 'a' });
        const did = await people[0].make('dids', { path: names[0], keyIds: [first.id] });
        await people[0].post(`${DIDS}/${did.id}/publish`);
        for (const round of rounds) {
          wallet.clock.advance(45);
          const idsOf = async (path: string): Promise<string[][]> => {
            const lists = await Promise.all(people.map(async (who) => (await who.get(`${path}?limit=200`)).body));
            return lists.map((list) => (list.length > 0 ? list.map(({ id }: any) => id) : ['key_01ARZ3NDEKTSV4RRFFQ69G5FAV']));
          };
          const [keys, dids] = [await idsOf(KEYS), await idsOf(DIDS)];
          const answers = await Promise.all(
            round.map(([at, strange, request]) => {
              const whose = strange ? 1 - at : at;
              return request(people[at]!, keys[whose]!, dids[whose]!, run);
            }),
          );
          for (const { status, text } of answers)
            assert.ok([200, 201, 204, 404, 409, 422].includes(status), `${status}: ${text}`);
          await wallet.service.sweep();
          await assertConsistent(people, seen, names);
        }
      }),
      { numRuns: inFullRun(10, 4) },
    );
  });
});
