// Authorization servers that ask who the wallet is, and those that would like to know more than they need.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  calculateJwkThumbprint,
  decodeJwt,
  decodeProtectedHeader,
  EmbeddedJWK,
  importJWK,
  importX509,
  type JWK,
  jwtVerify,
} from 'jose';
import { issuedCredentials, onEachWalletWithIssuer, VCI } from '../../../test/support/issuance.ts';
import type { IssuerTwist } from '../../../test/support/toy-issuer.ts';

const ATTESTATION = 'oauth-client-attestation';
const PROOF = 'oauth-client-attestation-pop';
const ANONYMOUS = 'pre-authorized_grant_anonymous_access_supported';

onEachWalletWithIssuer('A wallet that authenticates', (wallet, issuer) => {
  const sent = (endpoint: string) => issuer.seen.filter((one) => one.endpoint === endpoint);
  /** The server takes these methods, and nobody without. */
  const asking = (methods: readonly string[], more: Record<string, unknown> = {}): IssuerTwist => ({
    reply(endpoint, { body }) {
      if (endpoint === 'server')
        Object.assign(body, { token_endpoint_auth_methods_supported: methods, [ANONYMOUS]: false, ...more });
    },
  });
  const receive = async (options: object = {}) => {
    const person = await wallet.logIn();
    return person.post(VCI, { uri: issuer.offer(options) });
  };
  const published = async () => (await wallet.request('GET', '/.well-known/wallet-client')).body;

  describe('by an attestation', () => {
    const METHODS = ['attest_jwt_client_auth'];
    async function readAttestation(headers: Record<string, unknown>) {
      const attestation = String(headers[ATTESTATION]);
      const { x5c = [] } = decodeProtectedHeader(attestation);
      const key = await importX509(`-----BEGIN CERTIFICATE-----\n${x5c[0]}\n-----END CERTIFICATE-----`, 'ES256');
      const currentDate = new Date(wallet.clock.now());
      const { payload } = await jwtVerify(attestation, key, { typ: 'oauth-client-attestation+jwt', currentDate });
      const instance = (payload.cnf as { jwk: JWK }).jwk;
      const proof = await jwtVerify(String(headers[PROOF]), await importJWK(instance, 'ES256'), {
        typ: 'oauth-client-attestation-pop+jwt',
        currentDate,
      });
      return { payload, instance, proof: proof.payload, x5c };
    }

    it('sends one of its node, with a proof for this server alone, and says who it is', async () => {
      issuer.twist = asking(METHODS);
      issuedCredentials(await receive());
      const [{ headers, body }] = sent('token') as [any];
      const { payload, proof, x5c } = await readAttestation(headers);
      assert.equal(payload.sub, wallet.publicUrl);
      assert.equal(body.client_id, wallet.publicUrl);
      assert.deepEqual([proof.iss, proof.aud], [wallet.publicUrl, issuer.url]);
      assert.ok(payload.exp! - payload.iat! <= 300, 'no longer than it is needed');
      assert.deepEqual(x5c, (await published()).attester.chain);
      const [{ proofs }] = issuer.asked('credential');
      assert.equal(decodeJwt(proofs.jwt[0]).iss, wallet.publicUrl, 'the issuer knows whose client it is');
    });

    it('has another key for each exchange, the one that its tokens are bound to', async () => {
      issuer.twist = asking(METHODS, { dpop_signing_alg_values_supported: ['ES256'] });
      issuer.dpop = 'said';
      issuedCredentials(await receive());
      issuedCredentials(await receive());
      const instances = await Promise.all(sent('token').map(({ headers }) => readAttestation(headers)));
      const [first, second] = await Promise.all(instances.map(({ instance }) => calculateJwkThumbprint(instance)));
      assert.notEqual(first, second, 'nobody can link the two');
      const { protectedHeader } = await jwtVerify(String(sent('token')[0]!.headers.dpop), EmbeddedJWK, { typ: 'dpop+jwt' });
      assert.equal(await calculateJwkThumbprint(protectedHeader.jwk!), first);
      const ids = new Set(instances.map(({ proof }) => proof.jti));
      assert.equal(ids.size, 2);
    });

    it('sends it with the pushed request and with the code, also when its token is refreshed', async () => {
      issuer.twist = asking(METHODS);
      const person = await wallet.logIn();
      const begun = await person.post(VCI, { uri: issuer.offer({ byCode: true }) });
      const back = await fetch(begun.body.authorizationUrl, { redirect: 'manual' });
      const authorizationResponse = back.headers.get('location')!;
      issuedCredentials(await person.post(VCI, { exchangeId: begun.body.exchangeId, authorizationResponse }));
      const [pushed, redeemed] = [sent('par')[0]!, sent('token')[0]!];
      const [one, other] = [await readAttestation(pushed.headers), await readAttestation(redeemed.headers)];
      assert.deepEqual(one.instance, other.instance, 'the code is for the one that pushed');
      assert.notEqual(one.proof.jti, other.proof.jti, 'a proof is sent once');
    });

    it('puts the challenge of the server into the proof', async () => {
      issuer.twist = {
        reply(endpoint, reply) {
          asking(METHODS, { challenge_endpoint: `${issuer.url}/challenge` }).reply!(endpoint, reply, undefined as never);
        },
        raw(_endpoint, request, response) {
          if (request.url !== '/challenge') return false;
          response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"attestation_challenge":"do this"}');
          return true;
        },
      };
      issuedCredentials(await receive());
      const { proof } = await readAttestation(sent('token').at(-1)!.headers);
      assert.equal(proof.challenge, 'do this');
    });

    for (const [name, value] of Object.entries({
      'that is not JSON': '<html>',
      'that is no text': '{"attestation_challenge": 7}',
      'that is endless': JSON.stringify({ attestation_challenge: 'x'.repeat(1001) }),
    }))
      it(`does not sign a challenge ${name}`, async () => {
        issuer.twist = {
          reply(endpoint, reply) {
            asking(METHODS, { challenge_endpoint: `${issuer.url}/challenge` }).reply!(endpoint, reply, undefined as never);
          },
          raw(_endpoint, request, response) {
            if (request.url !== '/challenge') return false;
            response.writeHead(200, { 'Content-Type': 'application/json' }).end(value);
            return true;
          },
        };
        await receive();
        const { proof } = await readAttestation(sent('token').at(-1)!.headers);
        assert.equal(proof.challenge, undefined);
      });

    it('does not fetch a challenge from an address that it may not call', async () => {
      issuer.twist = asking(METHODS, { challenge_endpoint: 'http://10.0.0.1/challenge' });
      const answer = await receive();
      assert.equal(answer.status, 403, answer.text);
      assert.equal(answer.body.code, 'blocked-address');
      assert.equal(sent('token').length, 0);
    });

    it('is not known to a server that does not ask: neither its node nor its name', async () => {
      for (const methods of [['none'], ['client_secret_basic'], [], ['none', 'attest_jwt_client_auth']]) {
        issuer.seen.length = 0;
        issuer.twist = asking(methods, { [ANONYMOUS]: true });
        issuedCredentials(await receive());
        const [{ headers, body }] = sent('token') as [any];
        assert.deepEqual(
          [headers[ATTESTATION], headers[PROOF], body.client_id],
          [undefined, undefined, undefined],
          methods.join(),
        );
      }
    });

    it('says at once who it is where a server offers nothing else and does not say that it lets anybody in', async () => {
      for (const [methods, isSaid] of [
        [METHODS, true],
        [['none', ...METHODS], false],
      ] as const) {
        issuer.seen.length = 0;
        issuer.twist = asking(methods, { [ANONYMOUS]: undefined });
        issuedCredentials(await receive());
        assert.deepEqual(
          sent('token').map(({ headers }) => headers[ATTESTATION] !== undefined),
          [isSaid],
        );
      }
    });

    it('says who it is to a server that lets nobody in without, and to none for any other reason', async () => {
      const refusing = (error: string): IssuerTwist => ({
        reply(endpoint, reply, { headers }) {
          asking(['none', ...METHODS], { [ANONYMOUS]: true }).reply!(endpoint, reply, undefined as never);
          if (endpoint !== 'token' || headers[ATTESTATION] !== undefined) return;
          reply.status = 401;
          reply.body = { error };
        },
      });
      for (const error of ['invalid_request', 'invalid_grant', 'unauthorized_client', 'server_error', 'access_denied']) {
        issuer.seen.length = 0;
        issuer.twist = refusing(error);
        assert.ok((await receive()).status >= 400);
        assert.ok(
          sent('token').every(({ headers }) => headers[ATTESTATION] === undefined),
          error,
        );
      }
    });

    it('is refused: it does not try for ever, and the person can try again', async () => {
      issuer.twist = {
        reply(endpoint, reply) {
          asking([...METHODS, 'private_key_jwt']).reply!(endpoint, reply, undefined as never);
          if (endpoint === 'token') Object.assign(reply, { status: 401, body: { error: 'invalid_client' } });
        },
      };
      const answer = await receive();
      assert.equal(answer.body.protocol?.error, 'invalid_client', answer.text);
      assert.equal(sent('token').length, 2, 'once by each way');
    });
  });

  describe('by a key that it is registered with', () => {
    it('signs an assertion for this server, which its published keys verify', async () => {
      issuer.twist = asking(['private_key_jwt']);
      issuedCredentials(await receive());
      const [{ body, headers }] = sent('token') as [any];
      assert.equal(headers[ATTESTATION], undefined);
      assert.equal(body.client_assertion_type, 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
      const { jwks_uri: uri } = await published();
      const { keys } = (await wallet.request('GET', new URL(uri).pathname)).body;
      const { kid } = decodeProtectedHeader(body.client_assertion);
      const key = await importJWK(keys.find((one: JWK) => one.kid === kid) as JWK, 'ES256');
      const { payload } = await jwtVerify(body.client_assertion, key, {
        issuer: wallet.publicUrl,
        subject: wallet.publicUrl,
        audience: issuer.url,
        currentDate: new Date(wallet.clock.now()),
      });
      assert.ok(payload.jti && payload.exp! - payload.iat! <= 60);
    });

    it('has another assertion each time, and none in the log or in the steps of the exchange', async () => {
      issuer.twist = asking(['private_key_jwt']);
      issuedCredentials(await receive());
      issuedCredentials(await receive());
      const assertions = sent('token').map(({ body }) => body.client_assertion as string);
      assert.equal(new Set(assertions.map((jwt) => decodeJwt(jwt).jti)).size, 2);
      for (const jwt of assertions) assert.ok(!wallet.logged.some((line) => line.includes(jwt)));
    });
  });

  describe('of keys', () => {
    const required = (types: object): IssuerTwist => ({
      reply(endpoint, { body }) {
        const known = body?.credential_configurations_supported;
        if (endpoint === 'metadata') known.identity.proof_types_supported = types;
      },
    });
    const jwt = { proof_signing_alg_values_supported: ['ES256'], key_attestations_required: {} };

    it('attests none that are not in a device, whatever the issuer asks for', async () => {
      for (const types of [
        { jwt },
        { attestation: jwt },
        { jwt: { ...jwt, key_attestations_required: { key_storage: ['iso_18045_high'] } } },
      ]) {
        issuer.twist = required(types);
        const answer = await receive();
        assert.deepEqual([answer.status, answer.body.code], [422, 'unsupported-proof-type'], answer.text);
      }
      assert.equal(sent('token').length, 0, 'the code of the offer was not used');
    });

    it('does not say where its keys are to an issuer that does not ask', async () => {
      issuedCredentials(await receive());
      const [{ proofs }] = issuer.asked('credential');
      assert.equal(decodeProtectedHeader(proofs.jwt[0]).key_attestation, undefined);
    });
  });
});
