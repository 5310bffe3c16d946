import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { makeSoftToken, type SoftToken } from '../../../../test/support/softhsm.ts';
import { ALGORITHMS, thumbprintOf, verifyWith } from '../../../verifiable/jose/index.ts';
import type { StoredKey } from '../key-store.ts';
import { CKA, CKO, CKR, Pkcs11Error } from './constants.ts';
import { openLibrary, ulong, ulongAt, ulongs } from './library.ts';
import { findKey, readAttributes } from './objects.ts';
import { openPkcs11Store } from './pkcs11-store.ts';
import { openToken } from './token.ts';

const run = promisify(execFile);
const soft = makeSoftToken();
const place = { owner: 'alice', keyId: 'key-1' };
const data = Buffer.from('what is signed');

async function openStore(t: TestContext, token: SoftToken = soft) {
  const store = await openPkcs11Store(token);
  t.after(() => store.close());
  return store;
}

/** Somebody else in this process who uses the same token. */
async function besides(t: TestContext) {
  const library = await openLibrary(soft.library);
  t.after(() => library.release());
  const slots = ulongs(16);
  const count = ulong(16);
  await library.call('C_GetSlotList', 1, slots, count);
  return { library, slot: ulongAt(slots, 0) };
}

const idOf = (kept: StoredKey): Buffer => Buffer.from(JSON.parse(kept.material).id, 'hex');

/** What the token itself says of a key, to whoever has the PIN. */
async function look<T>(work: Parameters<Awaited<ReturnType<typeof openToken>>['use']>[0]): Promise<T> {
  const token = await openToken(soft);
  try {
    return (await token.use(work)) as T;
  } finally {
    await token.close();
  }
}

async function labelOf(kept: StoredKey): Promise<string> {
  return look(async ({ library, handle }) => {
    const template = library.template([
      [CKA.CLASS, CKO.PRIVATE_KEY],
      [CKA.ID, idOf(kept)],
    ]);
    await library.call('C_FindObjectsInit', handle, template, 2);
    const found = ulong();
    await library.call('C_FindObjects', handle, found, 1, ulong());
    await library.call('C_FindObjectsFinal', handle);
    const [label] = await readAttributes({ library, handle }, ulongAt(found, 0), [CKA.LABEL]);
    return label!.toString();
  });
}

/** Another process, as the workers of a node are. */
async function inAnotherProcess(code: string): Promise<string> {
  const script = `
    import { registerHooks } from 'node:module';
    const { openPkcs11Store } = await import(${JSON.stringify(new URL('pkcs11-store.ts', import.meta.url).href)});
    const soft = ${JSON.stringify(soft)};
    ${code}`;
  const { stdout } = await run(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script]);
  return stdout;
}

describe('the PKCS#11 key store', () => {
  it('offers every algorithm of the wallet on a token that has the mechanisms', async (t) => {
    assert.deepEqual((await openStore(t)).algorithms, [...ALGORITHMS]);
  });

  for (const algorithm of ALGORITHMS) {
    it(`makes a key for ${algorithm} whose signatures verify`, async (t) => {
      const store = await openStore(t);
      const { publicJwk, stored } = await store.generate(algorithm, place);
      for (const text of [data, Buffer.alloc(0), Buffer.alloc(100_000, 'long')]) {
        const signature = await store.sign(stored, algorithm, place, text);
        assert.equal(verifyWith(publicJwk, algorithm, text, signature), true, `${text.length} bytes`);
        assert.equal(verifyWith(publicJwk, algorithm, Buffer.concat([text, data]), signature), false);
      }
    });
  }

  it('keeps a handle in the row, and nothing of the key', async (t) => {
    const { stored } = await (await openStore(t)).generate('ES256', place);
    assert.equal(stored.wrappedKey, null);
    const { token, id, ...more } = JSON.parse(stored.material);
    assert.equal(token, soft.tokenLabel);
    assert.match(id, /^[0-9a-f]{32}$/);
    assert.deepEqual(more, {});
  });

  it('makes keys that cannot be taken out of the token', async (t) => {
    const store = await openStore(t);
    for (const [algorithm, secret] of [
      ['ES256', CKA.VALUE],
      ['EdDSA', CKA.VALUE],
      ['RS256', CKA.PRIVATE_EXPONENT],
    ] as const) {
      const { stored } = await store.generate(algorithm, place);
      const label = await labelOf(stored);
      await look(async (session) => {
        const [key] = await findKey(session, CKO.PRIVATE_KEY, { id: idOf(stored), label });
        const types = [CKA.EXTRACTABLE, CKA.SENSITIVE, CKA.PRIVATE, CKA.TOKEN];
        const flags = await readAttributes(session, key!, types);
        assert.deepEqual(
          flags.map((value) => value[0]),
          [0, 1, 1, 1],
        );
        await assert.rejects(
          readAttributes(session, key!, [secret]),
          (error) => error instanceof Pkcs11Error && error.code === CKR.ATTRIBUTE_SENSITIVE,
        );
      });
    }
    assert.equal(store.importPrivateKey, undefined);
  });

  it('names neither the owner in the token nor anything but the key id', async (t) => {
    const { stored } = await (await openStore(t)).generate('ES256', { owner: 'alice@example.org', keyId: 'key-7' });
    assert.match(await labelOf(stored), /^key-7\.[\w-]{22}$/);
  });

  it('refuses to sign for another owner or under another key id', async (t) => {
    const store = await openStore(t);
    const { stored } = await store.generate('ES256', place);
    await store.generate('ES256', { ...place, owner: 'mallory' });
    await assert.rejects(store.sign(stored, 'ES256', { ...place, owner: 'mallory' }, data), /no such key/);
    await assert.rejects(store.sign(stored, 'ES256', { ...place, keyId: 'key-2' }, data), /no such key/);
  });

  it('refuses to sign with a key of another kind', async (t) => {
    const store = await openStore(t);
    const { publicJwk, stored } = await store.generate('ES256', place);
    await assert.rejects(store.sign(stored, 'RS256', place, data));
    await assert.rejects(store.sign(stored, 'ES384', place, data));
    assert.equal(verifyWith(publicJwk, 'ES256', data, await store.sign(stored, 'ES256', place, data)), true);
  });

  it('refuses a key that is in another token, and names it', async (t) => {
    const store = await openStore(t);
    const kept = { wrappedKey: null, material: JSON.stringify({ token: 'elsewhere', id: '00'.repeat(16) }) };
    await assert.rejects(store.sign(kept, 'ES256', place, data), /in the PKCS#11 token "elsewhere"/);
  });

  it('removes both halves of a key, and does not mind when they are gone', async (t) => {
    const store = await openStore(t);
    const { stored } = await store.generate('ES256', place);
    const label = await labelOf(stored);
    await store.destroy(stored, place);
    await assert.rejects(store.sign(stored, 'ES256', place, data), /no such key/);
    for (const keyClass of [CKO.PRIVATE_KEY, CKO.PUBLIC_KEY])
      assert.deepEqual(await look((session) => findKey(session, keyClass, { id: idOf(stored), label })), []);
    await store.destroy(stored, place);
  });

  it('leaves the key alone when another owner wants it removed', async (t) => {
    const store = await openStore(t);
    const { stored } = await store.generate('ES256', place);
    await store.destroy(stored, { ...place, owner: 'mallory' });
    await store.sign(stored, 'ES256', place, data);
  });

  it('signs fifty at once with the few sessions it has', async (t) => {
    const store = await openStore(t);
    const { publicJwk, stored } = await store.generate('ES256', place);
    const texts = Array.from({ length: 50 }, (_, i) => Buffer.from(`text ${i}`));
    const signatures = await Promise.all(texts.map((text) => store.sign(stored, 'ES256', place, text)));
    for (const [i, text] of texts.entries()) assert.equal(verifyWith(publicJwk, 'ES256', text, signatures[i]!), true);
  });

  it('goes on after some of many fail', async (t) => {
    const store = await openStore(t);
    const { stored } = await store.generate('ES256', place);
    const tries = Array.from({ length: 30 }, (_, i) => store.sign(stored, i % 3 ? 'ES256' : 'RS256', place, data));
    const results = await Promise.allSettled(tries);
    assert.deepEqual(
      results.map(({ status }) => status),
      results.map((_, i) => (i % 3 ? 'fulfilled' : 'rejected')),
    );
  });

  it('leaves the event loop alone while the token makes RSA keys', async (t) => {
    const store = await openStore(t);
    let turns = 0;
    let over = false;
    const turn = () => {
      turns++;
      if (!over) setImmediate(turn);
    };
    setImmediate(turn);
    await Promise.all([1, 2, 3].map(() => store.generate('RS256', place)));
    over = true;
    // Waiting for the steps alone would turn it a few times each.
    assert.ok(turns > 200, `${turns} turns`);
  });

  it('signs with the same key after it was closed and opened again', async (t) => {
    const first = await openPkcs11Store(soft);
    const { publicJwk, stored } = await first.generate('EdDSA', place);
    await first.close();
    await assert.rejects(first.sign(stored, 'EdDSA', place, data), /closed/);
    const signature = await (await openStore(t)).sign(stored, 'EdDSA', place, data);
    assert.equal(verifyWith(publicJwk, 'EdDSA', data, signature), true);
  });

  it('finishes what is under way before it closes', async () => {
    const store = await openPkcs11Store(soft);
    const { stored } = await store.generate('ES256', place);
    const signatures = Array.from({ length: 20 }, () => store.sign(stored, 'ES256', place, data));
    await Promise.all([store.close(), store.close()]);
    assert.equal((await Promise.all(signatures)).length, 20);
  });

  it('does not end the library under another store of the process', async (t) => {
    const one = await openPkcs11Store(soft);
    const other = await openStore(t);
    const { stored } = await one.generate('ES256', place);
    await one.close();
    await other.sign(stored, 'ES256', place, data);
  });

  it('signs with a key that another process made meanwhile', async (t) => {
    const store = await openStore(t);
    const made = await inAnotherProcess(`
      const store = await openPkcs11Store(soft);
      console.log(JSON.stringify(await store.generate('ES256', ${JSON.stringify(place)})));
      await store.close();`);
    const { publicJwk, stored } = JSON.parse(made);
    const signature = await store.sign(stored, 'ES256', place, data);
    assert.equal(verifyWith(publicJwk, 'ES256', data, signature), true);
  });

  it('needs nothing when the master key changes', async (t) => {
    const store = await openStore(t);
    const { stored } = await store.generate('ES256', place);
    assert.equal(stored.wrappedKey, null, 'nothing is sealed under it');
  });

  it('makes another key each time', async (t) => {
    const store = await openStore(t);
    const keys = await Promise.all([1, 2, 3, 4, 5].map(() => store.generate('ES256', place)));
    assert.equal(new Set(keys.map(({ publicJwk }) => thumbprintOf(publicJwk))).size, 5);
  });
});

describe('a PKCS#11 store that loses its token', () => {
  it('opens new sessions when all of them were closed', async (t) => {
    const store = await openStore(t);
    const { library, slot } = await besides(t);
    const { publicJwk, stored } = await store.generate('ES256', place);
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 9 }, () => store.sign(stored, 'ES256', place, data)));
      await library.call('C_CloseAllSessions', slot);
      const signatures = await Promise.all(Array.from({ length: 9 }, () => store.sign(stored, 'ES256', place, data)));
      for (const signature of signatures) assert.equal(verifyWith(publicJwk, 'ES256', data, signature), true);
    }
  });

  it('tries once more, in a new session, when the device failed, and only once', async (t) => {
    const token = await openToken(soft);
    t.after(() => token.close());
    for (const code of [CKR.GENERAL_ERROR, CKR.FUNCTION_FAILED, CKR.DEVICE_ERROR]) {
      const handles: bigint[] = [];
      const failing =
        (times: number) =>
        async ({ handle }: { handle: bigint }) => {
          handles.push(handle);
          if (handles.length <= times) throw new Pkcs11Error('C_GenerateKeyPair', code);
          return 'done';
        };
      assert.equal(await token.use(failing(1)), 'done');
      assert.equal(new Set(handles).size, 2);
      handles.length = 0;
      await assert.rejects(token.use(failing(2)), { code });
      assert.equal(handles.length, 2);
    }
  });

  it('logs in again after it was logged out', async (t) => {
    const store = await openStore(t);
    const { library, slot } = await besides(t);
    const { stored } = await store.generate('ES256', place);
    const session = ulong();
    const logOut = async () => {
      await library.call('C_OpenSession', slot, 4, null, null, session);
      await library.call('C_Logout', ulongAt(session, 0));
      await library.call('C_CloseSession', ulongAt(session, 0));
    };
    await logOut();
    await store.sign(stored, 'ES256', place, data);
    await logOut();
    await store.generate('ES256', place);
    // A session that is not logged in sees no private key, which must not pass for "gone already".
    await logOut();
    await store.destroy(stored, place);
    await assert.rejects(store.sign(stored, 'ES256', place, data), /no such key/);
  });
});

describe('opening a PKCS#11 store', () => {
  const messageOf = (options: Partial<SoftToken>): Promise<string> =>
    openPkcs11Store({ ...soft, ...options }).then(
      () => assert.fail('it opened'),
      (error: Error) => error.message,
    );

  it('says that the PIN is wrong, without telling it, and opens with the right one afterwards', async (t) => {
    const message = await messageOf({ pin: '11223344' });
    assert.match(message, /"gatehouse-test": the PIN is wrong; set the user PIN/);
    assert.doesNotMatch(message, /11223344/);
    await openStore(t);
  });

  it('says that the library is not there, or is not one', async () => {
    assert.match(
      await messageOf({ library: '/nowhere/pkcs11.so' }),
      /\/nowhere\/pkcs11\.so: there is no such file; name the device/,
    );
    assert.match(await messageOf({ library: '/etc/hostname' }), /\/etc\/hostname: it does not load: .*; name the device/);
    const other = readFileSync('/proc/self/maps', 'utf8').match(/\/\S+\/libm\.so\.\d/)![0];
    assert.match(await messageOf({ library: other }), /it has no C_GetFunctionList; name a PKCS#11 module/);
  });

  it('says which tokens there are when the one named is not', async () => {
    assert.match(await messageOf({ tokenLabel: 'other' }), /no initialized token labelled "other".*\(tokens: "gatehouse-test"\)/);
  });

  it('takes the only token without a name, and asks for one when there are more', async () => {
    const { library, pin } = soft;
    await (await openPkcs11Store({ library, pin })).close();
    const second = makeSoftToken('second');
    await assert.rejects(openPkcs11Store({ library, pin }), /must be named by its label .*"second"/);
    await (await openPkcs11Store(second)).close();
  });

  it('says that koffi is missing', async () => {
    const message = await inAnotherProcess(`
      registerHooks({
        resolve(specifier, context, next) {
          if (specifier.startsWith('@koromix/koffi-')) throw new Error('not installed');
          return next(specifier, context);
        },
      });
      await openPkcs11Store(soft).catch((error) => console.log(error.message));`);
    assert.match(message, /needs the package @koromix\/koffi-linux-\w+; run npm ci without --omit=optional/);
  });
});
