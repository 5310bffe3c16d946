// The logo of an application: given, seen by everybody who signs in, replaced and removed.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase } from '../../../../test/support/api.ts';
import { makeApplication, makePerson } from '../../../../test/support/applications.ts';
import { LOGO, logoBody, png } from '../../../../test/support/pictures.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';

const PATH = '/v3/OS-OAUTH2/consumers';

onEachDatabase('The logo of an application', (api) => {
  const linkOf = async (id: string): Promise<string | undefined> => assertOk(await api.get(`${PATH}/${id}`)).consumer.links.logo;

  it('is an image that everybody can see and keep, and has a new address when it is replaced', async () => {
    const owner = await makePerson(api);
    const { id, links } = await makeApplication(api, {}, owner.token);
    const path = `${PATH}/${id}/logo`;
    assert.equal(links.logo, undefined);
    assertRefused(await api.get(path), 404, /has no logo/);
    const { logo } = assertOk(await api.put(path, LOGO, { token: owner.token }));
    assert.deepEqual([logo.media_type, logo.content, logo.links.self], ['image/png', png().toString('base64'), api.url + path]);
    assert.deepEqual(assertOk(await api.get(path, { token: owner.token })).logo, logo);

    const image = await fetch(logo.url);
    assert.deepEqual([image.status, Buffer.from(await image.arrayBuffer())], [200, png()]);
    assert.match(image.headers.get('cache-control')!, /public, max-age=\d+, immutable/);
    const tag = image.headers.get('etag')!;
    const again = await fetch(logo.url, { headers: { 'If-None-Match': tag } });
    assert.deepEqual([again.status, again.headers.get('etag'), await again.text()], [304, tag, '']);

    assert.equal(await linkOf(id), logo.url);
    const { consumers } = assertOk(await api.get(PATH, { token: owner.token }));
    assert.deepEqual(
      consumers.map((one: { id: string; links: { logo?: string } }) => [one.id, one.links.logo]),
      [[id, logo.url]],
    );
    // Whoever sends back what was read changes nothing.
    const changed = assertOk(await api.patch(`${PATH}/${id}`, { consumer: { links: { logo: 'https://x.example.org/' } } }));
    assert.deepEqual([changed.consumer.links.logo, changed.consumer.extra], [logo.url, {}]);

    const next = assertOk(await api.put(path, logoBody(png(2)))).logo;
    assert.notEqual(next.url, logo.url);
    assert.deepEqual([(await fetch(logo.url)).status, (await fetch(next.url)).status], [404, 200]);
    assertOk(await api.delete(path, { token: owner.token }), 204);
    assertRefused(await api.delete(path), 404, /has no logo/);
    assert.deepEqual([(await fetch(next.url)).status, await linkOf(id)], [404, undefined]);
    const { events } = assertOk(await api.get(`/v3/OS-AUDIT/events?target_id=${id}&action=consumer.*`));
    const actions = events.map(({ action }: { action: string }) => action).filter((one: string) => one.includes('logo'));
    assert.deepEqual(actions.sort(), ['consumer.logo_changed', 'consumer.logo_changed', 'consumer.logo_removed']);
  });

  it('goes with the application', async () => {
    const { id } = await makeApplication(api);
    const { logo } = assertOk(await api.put(`${PATH}/${id}/logo`, LOGO));
    assertOk(await api.delete(`${PATH}/${id}`), 204);
    assert.equal((await fetch(logo.url)).status, 404);
    assertRefused(await api.get(`${PATH}/${id}/logo`), 404);
  });

  it('is beside its name where people sign in and are asked for consent', async () => {
    const [party, other, person] = [await RelyingParty.make(api), await RelyingParty.make(api), await makeUser(api)];
    const { logo } = assertOk(await api.put(`${PATH}/${party.application.id}/logo`, LOGO));
    const image = `<h1><img src="${new URL(logo.url).pathname}" alt="">`;
    const browser = new TestBrowser(api);
    const signIn = await browser.go((await party.ask()).url);
    assert.ok(signIn.text.includes(image), signIn.text);
    assert.match(signIn.headers.get('content-security-policy')!, /img-src 'self'/);
    const consent = await browser.submit(signIn, 'password', { name: person.name, password: person.password, domain: '' });
    assert.ok(consent.text.includes(image), consent.text);
    const without = await browser.go((await other.ask()).url);
    assert.ok(without.text.includes('<h1>') && !without.text.includes('<h1><img'));
  });
});
