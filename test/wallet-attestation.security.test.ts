// Attestations of our wallet node at our issuer, each wrong in one thing: of the wallet, and of its keys.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { exportJWK, SignJWT } from 'jose';
import { createWalletChanges } from '../src/wallet/access/index.ts';
import { createAttester } from '../src/wallet/attester/index.ts';
import type { Database } from '../src/wallet/ground/database.ts';
import { TestApi } from './support/api.ts';
import {
  makeHolder,
  makeOffer,
  makeRoleWorld,
  newKey,
  type RoleHolder,
  type RoleWorld,
  TestCredentialWallet,
} from './support/role-credentials.ts';
import { TestWallet } from './support/wallet.ts';

const CLIENT = 'https://wallet.example';

type KeyPair = Awaited<ReturnType<typeof newKey>>;
type Attester = ReturnType<typeof createAttester>;

/** A node, and what it attests. */
class Node {
  readonly wallet = new TestWallet('SQLite', { settings: { GATEHOUSE_WALLET_CLIENT_ID: CLIENT } });
  #db!: Database;
  attester!: Attester;
  clientId = CLIENT;

  async start(): Promise<void> {
    await this.wallet.start();
    this.#db = await this.wallet.database();
    this.attester = createAttester({
      db: this.#db,
      clock: this.wallet.clock,
      change: createWalletChanges(this.#db, this.wallet.clock),
      keys: this.wallet.service.keys,
      brought: undefined,
      device: { keyStorage: ['iso_18045_high'], userAuthentication: [] },
      publicUrl: () => this.wallet.url,
      clientId: () => this.clientId,
    });
  }

  async stop(): Promise<void> {
    await this.#db.close();
    await this.wallet.stop();
  }
}

/** Without a new signature. */
function changed(jwt: string, change: (parts: { header: any; payload: any }) => void): string {
  const [header, payload, signature] = jwt.split('.') as [string, string, string];
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  const parts = { header: read(header), payload: read(payload) };
  change(parts);
  const write = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${write(parts.header)}.${write(parts.payload)}.${signature}`;
}

describe('An attestation of our wallet node', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-attested-'));
  const file = join(folder, 'providers.json');
  const [node, other] = [new Node(), new Node()];
  const api = new TestApi('SQLite', {
    settings: {
      GATEHOUSE_IDENTITY_HAIP: 'on',
      GATEHOUSE_IDENTITY_WALLET_PROVIDERS_FILE: file,
      GATEHOUSE_IDENTITY_KEY_ATTESTATIONS: 'required',
    },
  });
  let world: RoleWorld;
  let person: RoleHolder;
  let instance: KeyPair;
  let client: TestCredentialWallet;

  before(async () => {
    await node.start();
    await other.start();
    const { root } = await node.attester.shown();
    await other.attester.shown();
    writeFileSync(join(folder, 'root.pem'), root!);
    const clients = [{ client_id: CLIENT, redirect_uris: [] }];
    writeFileSync(file, JSON.stringify({ providers: [{ name: 'Ours', certificates_file: 'root.pem', clients }] }));
    await api.start();
    world = await makeRoleWorld(api, { formats: ['dc+sd-jwt'] });
    person = await makeHolder(api, world);
    instance = await newKey();
    client = await new TestCredentialWallet(api).withDpop();
  });
  after(async () => {
    await api.stop();
    await node.stop();
    await other.stop();
    rmSync(folder, { recursive: true });
  });

  const attest = async (by: Attester = node.attester, key: KeyPair = instance): Promise<string> =>
    by.attestWallet((await exportJWK(key.publicKey)) as never);
  const challenge = async (): Promise<string> =>
    (await client.send('/openid/challenge', { method: 'POST' })).body.attestation_challenge;
  async function prove(more: Record<string, unknown> = {}, key: KeyPair = instance, typ = 'oauth-client-attestation-pop+jwt') {
    const claims = {
      iss: CLIENT,
      aud: client.issuer,
      jti: crypto.randomUUID(),
      iat: client.now(),
      challenge: await challenge(),
      ...more,
    };
    return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ }).sign(key.privateKey);
  }
  /** A token request with these headers, for an offer of its own. */
  async function redeem(headers: Record<string, string>, offer?: { uri: string; tx_code: string | null }) {
    const { uri, tx_code: code } = offer ?? (await makeOffer(api, person, [world.sdJwt]));
    const { grants } = await client.read(uri);
    const [[type, grant]] = Object.entries(grants) as [[string, any]];
    const parameters = {
      grant_type: type,
      'pre-authorized_code': grant['pre-authorized_code'],
      tx_code: code!,
      client_id: CLIENT,
    };
    return client.send('/openid/token', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', DPoP: await client.dpop('/openid/token'), ...headers },
      body: new URLSearchParams(parameters).toString(),
    });
  }
  const headersOf = (attestation: string, proof: string): Record<string, string> => ({
    'OAuth-Client-Attestation': attestation,
    'OAuth-Client-Attestation-PoP': proof,
  });

  const WRONG: Readonly<Record<string, () => Promise<Record<string, string>>>> = {
    'of another node that says it is ours': async () => headersOf(await attest(other.attester), await prove()),
    'with the chain of another node': async () => {
      const { chain } = await other.attester.shown();
      return headersOf(
        changed(await attest(), ({ header }) => void Object.assign(header, { x5c: chain })),
        await prove(),
      );
    },
    'without a chain': async () =>
      headersOf(
        changed(await attest(), ({ header }) => void delete header.x5c),
        await prove(),
      ),
    'whose payload names another wallet': async () =>
      headersOf(
        changed(await attest(), ({ payload }) => void Object.assign(payload, { sub: 'https://other.example' })),
        await prove(),
      ),
    'whose payload has another key': async () => {
      const thief = await newKey();
      const jwk = await exportJWK(thief.publicKey);
      return headersOf(
        changed(await attest(), ({ payload }) => void Object.assign(payload, { cnf: { jwk } })),
        await prove({}, thief),
      );
    },
    'that is not signed': async () =>
      headersOf(
        `${changed(await attest(), ({ header }) => void Object.assign(header, { alg: 'none' }))
          .split('.', 2)
          .join('.')}.`,
        await prove(),
      ),
    'whose signature is cut off': async () => headersOf((await attest()).slice(0, -4), await prove()),
    'of keys instead of the wallet': async () =>
      headersOf(await node.attester.attestKeys([(await exportJWK(instance.publicKey)) as never], 'x'), await prove()),
    'that is a client assertion': async () => headersOf(await node.attester.clientAssertion(client.issuer), await prove()),
    'that is its own proof': async () => headersOf(await attest(), await attest()),
    'whose proof is the attestation': async () => headersOf(await prove(), await attest()),
    'whose proof another copy of the wallet made': async () => headersOf(await attest(), await prove({}, await newKey())),
    'whose proof is for another server': async () => headersOf(await attest(), await prove({ aud: 'https://other.example' })),
    'whose proof is of another wallet': async () => headersOf(await attest(), await prove({ iss: 'https://other.example' })),
    'whose proof is an hour old': async () => headersOf(await attest(), await prove({ iat: client.now() - 3600 })),
    'whose proof has no id': async () => headersOf(await attest(), await prove({ jti: undefined })),
    'whose proof has a challenge that nobody made': async () => headersOf(await attest(), await prove({ challenge: 'made up' })),
    'whose proof is of another type': async () => headersOf(await attest(), await prove({}, instance, 'dpop+jwt')),
    'without a proof': async () => ({ 'OAuth-Client-Attestation': await attest() }),
    'that is not there': async () => ({ 'OAuth-Client-Attestation-PoP': await prove() }),
    'that is there twice': async () => headersOf(`${await attest()}, ${await attest()}`, await prove()),
    'for another client id': async () => {
      node.clientId = 'https://other.example';
      try {
        return headersOf(await attest(), await prove({ iss: node.clientId }));
      } finally {
        node.clientId = CLIENT;
      }
    },
    'that ended five minutes ago': async () => {
      node.wallet.clock.advance(-600);
      const ended = await attest();
      node.wallet.clock.advance(600);
      return headersOf(ended, await prove());
    },
  };
  for (const [name, headers] of Object.entries(WRONG))
    it(`lets nobody in ${name}`, async () => {
      const offer = await makeOffer(api, await makeHolder(api, world), [world.sdJwt]);
      const { status, body, text } = await redeem(await headers(), offer);
      assert.ok([400, 401].includes(status) && body.access_token === undefined, `${status} ${text}`);
      const good = await redeem(headersOf(await attest(), await prove()), offer);
      assert.equal(good.status, 200, `nothing was used up: ${good.text}`);
    });

  it('lets in once: its proof is not sent again', async () => {
    const headers = headersOf(await attest(), await prove());
    assert.equal((await redeem(headers)).status, 200);
    assert.equal((await redeem(headers)).body.error, 'invalid_client');
  });

  describe('of keys', () => {
    const attestKeys = async (keys: readonly KeyPair[], nonce: string, by = node.attester): Promise<string> =>
      by.attestKeys((await Promise.all(keys.map(({ publicKey }) => exportJWK(publicKey)))) as never, nonce);
    const token = async () => (await redeem(headersOf(await attest(), await prove()))).body;
    async function ask(make: (key: KeyPair, nonce: string) => Promise<string>) {
      const [key, nonce] = [await newKey(), await client.nonce()];
      const attestation = await make(key, nonce);
      const proof = await client.proof({
        key,
        nonce,
        change: ({ header }) => void Object.assign(header, { key_attestation: attestation }),
      });
      return client.request(await token(), { credential_configuration_id: world.sdJwt, proofs: { jwt: [proof] } });
    }

    it('is taken', async () => {
      const { status, text } = await ask((key, nonce) => attestKeys([key], nonce));
      assert.equal(status, 200, text);
    });

    for (const [name, make] of Object.entries({
      'for another request': (key: KeyPair) => attestKeys([key], 'made up'),
      'without the key of the proof': async (_key: KeyPair, nonce: string) => attestKeys([await newKey()], nonce),
      'of another node': (key: KeyPair, nonce: string) => attestKeys([key], nonce, other.attester),
      'that is one of the wallet': (key: KeyPair) => attest(node.attester, key),
      'with a key put into it': async (key: KeyPair, nonce: string) => {
        const jwk = await exportJWK(key.publicKey);
        return changed(
          await attestKeys([await newKey()], nonce),
          ({ payload }) => void Object.assign(payload, { attested_keys: [jwk] }),
        );
      },
      'without keys': (_key: KeyPair, nonce: string) => attestKeys([], nonce),
    }))
      it(`is refused ${name}`, async () => {
        const { status, body, text } = await ask(make);
        assert.equal(status, 400, text);
        assert.ok(['invalid_proof', 'invalid_nonce'].includes(body.error), text);
      });
  });
});
