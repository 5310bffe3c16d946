// Whose metadata a client of an OpenID provider accepts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDiscovery } from './discovery.ts';

const HOST = 'https://login.microsoftonline.com';
const TENANT = `${HOST}/00000000-0000-0000-0000-000000000000/v2.0`;

/** Discovery at `issuer`, where a provider answers that calls itself `named`. */
function discover(issuer: string, named: string, signIn: unknown = `${HOST}/authorize`): Promise<unknown> {
  const answer: typeof fetch = async () =>
    Response.json({ issuer: named, authorization_endpoint: signIn, jwks_uri: `${HOST}/keys` });
  const client = async () => ({ clientId: 'me', clientSecret: undefined });
  return createDiscovery({ issuer, scopes: 'openid', client }, answer, (reason) => {
    throw new Error(reason);
  })();
}

describe('Discovery', () => {
  it('accepts the provider that the settings name, with or without a slash at the end', async () => {
    await discover(TENANT, TENANT);
    await discover('https://tenant.example.org', 'https://tenant.example.org/');
    await discover('https://example.org/realm', 'https://example.org/realm/');
    // Stored with the slash, as a provider writes it.
    await discover('https://example.org/realm/', 'https://example.org/realm/');
    await discover('https://tenant.example.org/', 'https://tenant.example.org/');
  });

  it('refuses one that calls itself something else', async () => {
    await assert.rejects(discover('https://example.org', 'https://evil.example.org'), /issuer/);
  });

  it('refuses one that sends browsers to something else than https, or than http if it is plain itself', async () => {
    const [secure, plain] = ['https://example.org', 'http://127.0.0.1:7000'];
    await discover(plain, plain, `${plain}/authorize`);
    const refused = (issuer: string, signIn: unknown) =>
      assert.rejects(discover(issuer, issuer, signIn), /authorization_endpoint|https/, String(signIn));
    for (const signIn of ['javascript:alert(1)//', 'data:text/html,x', 'file:///etc/passwd', 'intent://x', '', 7, undefined]) {
      await refused(secure, signIn ?? null);
      await refused(plain, signIn ?? null);
    }
    await refused(secure, `${plain}/authorize`);
  });

  it('refuses an address of Microsoft for all tenants of the world, which the library accepts', async () => {
    for (const all of ['common', 'organizations', 'consumers'])
      await assert.rejects(discover(`${HOST}/${all}/v2.0`, `${HOST}/{tenantid}/v2.0`), /calls itself/);
    await assert.rejects(discover('https://a.b2clogin.com/a/v2.0', 'https://b.b2clogin.com/b/v2.0'), /calls itself/);
  });
});
