// Signing in to a dashboard in a browser: the page sends its form by itself, and by its button where scripts are off.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, it } from 'node:test';
import { onDatabase } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { makeUser } from '../support/relying-party.ts';

/** Receives tokens as Horizon does, and leads on to a page of its own. */
const received: URLSearchParams[] = [];
const dashboard = createServer(async (request, response) => {
  if (request.method === 'POST') {
    received.push(new URLSearchParams(await text(request)));
    response.writeHead(302, { Location: '/overview' }).end();
  } else response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Overview</h1>');
});
await new Promise<void>((resolve) => dashboard.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(dashboard.address() as AddressInfo).port}`;
const address = `${url}/auth/websso/`;
after(() => dashboard.close());

onDatabase('SQLite', 'A dashboard in a browser', { settings: { GATEHOUSE_IDENTITY_TRUSTED_DASHBOARD: address } }, (api) => {
  const chromium = usesChromium();
  const start = (): string => `${api.url}/v3/auth/OS-FEDERATION/websso/openid?${new URLSearchParams({ origin: address })}`;

  for (const javaScriptEnabled of [true, false])
    it(`gets the token of somebody who signs in, ${javaScriptEnabled ? 'without a click' : 'by a click without scripts'}`, async () => {
      const person = await makeUser(api);
      const page = await chromium.open(api, { javaScriptEnabled }, [url]);
      await page.goto(start());
      await page.getByLabel('User name').fill(person.name);
      await page.getByLabel('Password', { exact: true }).fill(person.password);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      if (!javaScriptEnabled) {
        await page.getByRole('heading', { name: `Back to ${new URL(url).host}` }).waitFor();
        await page.getByRole('button', { name: 'Continue' }).click();
      }
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      const token = received.pop()!.get('token')!;
      const answer = await api.get('/v3/auth/tokens', { token, headers: { 'X-Subject-Token': token } });
      assert.equal(answer.body.token.user.id, person.id);
      assert.ok(!page.url().includes(token));
    });
});
