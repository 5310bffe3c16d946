// Methods that no path has, such as TRACE: refused with 405 and the methods of the path, whoever serves it.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { it } from 'node:test';
import { identityOpenApi, walletOpenApi } from '../src/openapi.ts';
import { onDatabase } from './support/api.ts';
import { onWallet } from './support/wallet.ts';

/** By hand: fetch refuses to send TRACE. */
const ask = (url: string, method: string): Promise<{ status: number | undefined; allow: string | undefined; text: string }> =>
  new Promise((resolve, reject) => {
    request(url, { method, agent: false }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode, allow: response.headers.allow, text });
    })
      .on('error', reject)
      .end();
  });

/** As Node knows them, but no API uses. */
const METHODS = ['TRACE', 'PROPFIND', 'PURGE', 'LINK', 'QUERY'];

async function differencesIn(url: string, paths: readonly string[]): Promise<string[]> {
  const differences: string[] = [];
  for (const path of new Set(paths.map((one) => one.replace(/\{\w+\}/g, 'x'))))
    for (const method of METHODS) {
      const { status, allow = '', text } = await ask(url + path, method);
      if (status !== 405 || !/^[A-Z]+(, [A-Z]+)*$/.test(allow) || METHODS.some((one) => allow.includes(one)))
        differences.push(`${method} ${path}: ${status} Allow: ${allow} ${text.slice(0, 80)}`);
    }
  return differences;
}
const pathsOf = (document: object): string[] => Object.keys((document as { paths: object }).paths);

/** Of the mounts: pages, files and the OpenID provider. */
const IDENTITY = [
  '/account/profile',
  '/account/security',
  '/console',
  '/console/users/x',
  '/console/session',
  '/console/files/x.js',
  '/favicon.ico',
  '/openid/assets/style.css',
  '/openid/authorize/x',
  '/openid/device',
  '/openid/interaction/x',
  '/openid/invitation',
  '/openid/language',
  '/openid/logout/confirm',
  '/openid/logout/success',
  '/openid/providers/x/callback',
  '/openid/providers/x/login',
  '/openid/providers/x/logout',
  `/openid/pictures/${'x'.repeat(43)}`,
  `/openid/previews/${'x'.repeat(43)}`,
  `/openid/wallet/requests/${'x'.repeat(22)}`,
  `/openid/wallet/answers/${'x'.repeat(43)}`,
  '/openapi/files/x.js',
];
const WALLET = ['/history', '/history/x', '/keys', '/credentials', '/openapi/files/x.js', '/pages/x.js'];

onDatabase('SQLite', 'Methods that no path of the identity service has', {}, (api) => {
  it('are refused with the methods of the path, on routes and on pages', async () => {
    assert.deepEqual(await differencesIn(api.url, [...pathsOf(identityOpenApi()), ...IDENTITY]), []);
  });

  it('are not answered at unknown paths either', async () => {
    for (const method of METHODS)
      for (const path of ['/nothing', '/v3/nothing', '/openid/nothing']) {
        const { status } = await ask(api.url + path, method);
        assert.equal(status, 404, `${method} ${path}`);
      }
  });
});

onWallet('SQLite', 'Methods that no path of the wallet has', {}, (wallet) => {
  it('are refused with the methods of the path, on routes and on pages', async () => {
    assert.deepEqual(await differencesIn(wallet.url, [...pathsOf(walletOpenApi()), ...WALLET]), []);
  });
});
