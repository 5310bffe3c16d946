// Issuers whose identifier ends in `/`. The library takes the slash away (joinUriParts of @openid4vc/utils 0.4.6 strips every part), and so
// asks at the address of an issuer without it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { issuedCredentials, onEachWalletWithIssuer, VCI } from '../../../test/support/issuance.ts';
import { withIssuerSlash } from './issuer-slash.ts';

const HOST = 'https://issuer.example.org';
const WELL_KNOWN = `${HOST}/.well-known/openid-credential-issuer`;

onEachWalletWithIssuer('An issuer whose identifier ends in a slash', (wallet, issuer) => {
  it('is found where its own identifier says, and is told its whole name', async () => {
    const person = await wallet.logIn();
    issuer.path = '/tenant/';
    const [credential] = issuedCredentials(await person.post(VCI, { uri: issuer.offer() }));
    assert.equal(credential.credentialIssuer, `${issuer.url}/tenant/`);
    const [{ proofs }] = issuer.asked('credential');
    const claims = JSON.parse(Buffer.from(proofs.jwt[0].split('.')[1], 'base64url').toString());
    assert.equal(claims.aud, `${issuer.url}/tenant/`);
  });

  it('is another one than that without it', async () => {
    const person = await wallet.logIn();
    issuer.path = '/tenant/';
    const uri = issuer.offer().replace(encodeURIComponent('/tenant/'), encodeURIComponent('/tenant'));
    assert.equal((await person.post(VCI, { uri })).status, 502);
  });
});

describe('The well-known address of an issuer', () => {
  async function asked(issuer: string | undefined, url: string, found: string = url): Promise<string[]> {
    const seen: string[] = [];
    const fetch = async (input: unknown): Promise<Response> => {
      seen.push(String(input));
      return new Response(null, { status: String(input) === found ? 200 : 404 });
    };
    const { fetch: wrapped } = withIssuerSlash({ fetch } as never, issuer);
    await wrapped!(url);
    return seen;
  }

  it('has the slash that the library took', async () =>
    assert.deepEqual(await asked(`${HOST}/a/b/`, `${WELL_KNOWN}/a/b`, `${WELL_KNOWN}/a/b/`), [`${WELL_KNOWN}/a/b/`]));

  it('is tried without it for those who serve theirs there', async () =>
    assert.deepEqual(await asked(`${HOST}/a/b/`, `${WELL_KNOWN}/a/b`), [`${WELL_KNOWN}/a/b/`, `${WELL_KNOWN}/a/b`]));

  it('is left alone for all others', async () => {
    for (const [issuer, url] of [
      [`${HOST}/a/b`, `${WELL_KNOWN}/a/b`],
      [`${HOST}/`, WELL_KNOWN],
      [HOST, WELL_KNOWN],
      [undefined, `${WELL_KNOWN}/a`],
      // Not of this issuer: the rest of its metadata, another issuer, another host.
      [`${HOST}/a/`, `${HOST}/.well-known/oauth-authorization-server/a`],
      [`${HOST}/a/`, `${WELL_KNOWN}/b`],
      [`${HOST}/a/`, 'https://other.example.org/.well-known/openid-credential-issuer/a'],
    ] as const)
      assert.deepEqual(await asked(issuer, url), [url]);
  });
});
