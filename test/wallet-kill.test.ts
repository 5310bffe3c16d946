// The node is killed at every step of an exchange. What was received is kept whole or not at all, and whoever asks again gets
// an answer: the credential, that it is there already, or that the issuer's code is spent.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { freePort } from './support/ports.ts';
import { type GatehouseProcess, gatehouse } from './support/process.ts';
import { ToyIssuer } from './support/toy-issuer.ts';
import { type Person, TestWallet } from './support/wallet.ts';

const VCI = '/api/v1/wallet/oid4vci';

describe('A wallet node that is killed while it receives', () => {
  const wallet = new TestWallet('SQLite');
  const issuer = new ToyIssuer();
  let folder: string;
  let port: number;
  let node: GatehouseProcess;

  async function start(): Promise<void> {
    const { provider } = wallet;
    node = gatehouse(['wallet'], {
      GATEHOUSE_DATA_DIR: folder,
      GATEHOUSE_WALLET_PORT: String(port),
      GATEHOUSE_WALLET_OIDC_ISSUER: provider.issuer,
      GATEHOUSE_WALLET_OIDC_CLIENT_ID: provider.clientId,
      GATEHOUSE_WALLET_OIDC_CLIENT_SECRET: provider.clientSecret,
      GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1',
    });
    wallet.url = await node.walletListening();
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-kill-'));
    port = await freePort();
    await wallet.provider.start();
    await issuer.start();
    await start();
  });
  after(async () => {
    await node.stop();
    await issuer.stop();
    await wallet.provider.stop();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(() => issuer.reset());

  /** Asks, and dies when the issuer is asked (or has answered) at this endpoint. */
  async function dieAt(person: Person, uri: string, endpoint: string, when: 'before' | 'after'): Promise<void> {
    const dying = Promise.withResolvers<void>();
    let fired = false;
    const kill = async (): Promise<void> => {
      if (fired) return;
      fired = true;
      await node.killNow();
      dying.resolve();
    };
    issuer.twist = {
      raw(at, _request, response) {
        if (at !== endpoint || fired) return false;
        if (when === 'after') response.once('finish', () => setTimeout(kill, 5));
        else void kill();
        return when === 'before';
      },
    };
    const asked = person.post(VCI, { uri }).catch(() => undefined);
    await Promise.race([dying.promise, asked.then(() => dying.promise)]);
    issuer.twist = {};
    await asked;
  }

  const steps: readonly [string, 'before' | 'after'][] = [
    'offer',
    'metadata',
    'server',
    'token',
    'nonce',
    'credential',
    'keys',
    'notification',
  ].flatMap((endpoint): [string, 'before' | 'after'][] => [
    [endpoint, 'before'],
    [endpoint, 'after'],
  ]);

  for (const [endpoint, when] of steps)
    it(`${when} the issuer's answer at its ${endpoint} endpoint`, async () => {
      const person = await wallet.logIn(`person-${endpoint}-${when}`);
      const uri = issuer.offer({}, 'reference');
      await dieAt(person, uri, endpoint, when);
      await start();

      const again = await person.post(VCI, { uri });
      const held = (await person.get('/api/v1/wallet/credentials')).body as {
        instances: number;
        claims: Record<string, unknown>;
      }[];
      const outcome = again.status === 201 ? 'issued' : again.body.code;
      assert.ok(['issued', 'exchange-finished', 'offer-spent'].includes(outcome), again.text);
      if (outcome === 'offer-spent') assert.deepEqual([endpoint, when, held.length], ['token', 'after', 0]);
      else {
        assert.equal(held.length, 1, 'kept once');
        assert.deepEqual([held[0]!.instances, held[0]!.claims.given_name], [1, 'Ada'], 'kept whole');
      }
    });
});
