// The node is killed at every step of an exchange. A credential is stored completely or not at all, and a repeated request gets an
// answer: the credential, that it is already stored, or that the issuer's code was already used.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { aShareOf, inFullRun } from './support/extent.ts';
import { freePort } from './support/ports.ts';
import { type GatehouseProcess, gatehouse } from './support/process.ts';
import { ToyIssuer } from './support/toy-issuer.ts';
import { ToyVerifier } from './support/toy-verifier.ts';
import { TestWallet } from './support/wallet.ts';

const VCI = '/api/v1/wallet/oid4vci';
const VP = '/api/v1/wallet/oid4vp';

describe('A wallet node that is killed', () => {
  const wallet = new TestWallet('SQLite');
  const issuer = new ToyIssuer();
  const verifier = new ToyVerifier();
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
    await verifier.start();
    await start();
  });
  after(async () => {
    await node.stop();
    await issuer.stop();
    await verifier.stop();
    await wallet.provider.stop();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(() => {
    issuer.reset();
    verifier.reset();
  });

  /** Sends the request, and kills the node when it calls the peer at this endpoint, or when the peer has answered. */
  async function dieAt(peer: ToyIssuer | ToyVerifier, endpoint: string, when: 'before' | 'after', ask: () => Promise<unknown>) {
    const dying = Promise.withResolvers<void>();
    let fired = false;
    const kill = async (): Promise<void> => {
      if (fired) return;
      fired = true;
      await node.killNow();
      dying.resolve();
    };
    peer.twist = {
      raw(at, _request, response) {
        if (at !== endpoint || fired) return false;
        if (when === 'after') response.once('finish', () => setTimeout(kill, 5));
        else void kill();
        return when === 'before';
      },
    };
    const asked = ask().catch(() => undefined);
    await dying.promise;
    peer.twist = {};
    await asked;
    await start();
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

  for (const [endpoint, when] of aShareOf(steps, 8, 3))
    it(`${when} the issuer's answer at its ${endpoint} endpoint`, async () => {
      const person = await wallet.logIn(`person-${endpoint}-${when}`);
      const uri = issuer.offer({}, 'reference');
      await dieAt(issuer, endpoint, when, () => person.post(VCI, { uri }));

      const again = await person.post(VCI, { uri });
      const held = (await person.get('/api/v1/wallet/credentials')).body as {
        instances: number;
        claims: Record<string, unknown>;
      }[];
      const outcome = again.status === 201 ? 'issued' : again.body.code;
      assert.ok(['issued', 'exchange-finished', 'offer-spent'].includes(outcome), again.text);
      // It had requested the token before it was killed, and never got the answer.
      if (outcome === 'offer-spent')
        assert.deepEqual([issuer.seen.some((one) => one.endpoint === 'token'), held.length], [true, 0]);
      else {
        assert.equal(held.length, 1, 'kept once');
        assert.deepEqual([held[0]!.instances, held[0]!.claims.given_name], [1, 'Ada'], 'kept whole');
      }
    });

  for (const endpoint of inFullRun(['request', 'response'], ['response']))
    for (const when of inFullRun(['before', 'after'] as const, ['after'] as const))
      it(`${when} the verifier's answer at its ${endpoint} endpoint, shows nothing twice`, async () => {
        const person = await wallet.logIn(`shower-${endpoint}-${when}`);
        assert.equal((await person.post(VCI, { uri: issuer.offer() })).status, 201);
        const uri = await verifier.ask();
        await dieAt(verifier, endpoint, when, () => person.post(VP, { uri }));

        const again = await person.post(VP, { uri });
        const shown = verifier.posted.filter(({ vp_token: token }) => token !== undefined).length;
        if (endpoint === 'request') assert.deepEqual([again.status, shown], [200, 1], again.text);
        // It is unknown whether the response arrived, so it is not sent again.
        else assert.deepEqual([again.status, again.body.code, shown <= 1], [409, 'request-already-answered', true], again.text);
      });
});
