// Links and images of applications, which portals show.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { makeApplication } from '../../../../test/support/applications.ts';
import { BAD_LINKS } from '../../../../test/support/bad-links.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';

const PATH = '/v3/OS-OAUTH2/consumers';
const IMAGES = ['img_original', 'img_small', 'img_medium'];
const PAGES = ['url', 'client_uri', 'policy_uri', 'tos_uri', 'logo_uri'];

onUsualDatabase('Links of an application', (api) => {
  const db = usesDatabaseOf(api);

  it('run no code and read no file, wherever they are in a request', async () => {
    const { id } = await makeApplication(api);
    for (const field of [...PAGES, ...IMAGES])
      for (const value of [...BAD_LINKS, 7, ['https://example.org']]) {
        const why = new RegExp(`${field}.*URL`);
        assertRefused(await api.post(PATH, { consumer: { name: 'Bad', [field]: value } }), 400, why);
        assertRefused(await api.patch(`${PATH}/${id}`, { consumer: { extra: { [field]: value } } }), 400, why);
      }
    assertRefused(await api.patch(`${PATH}/${id}`, { consumer: { url: 'reports/start' } }), 400, /url.*absolute/);
    assert.deepEqual(assertOk(await api.get(`${PATH}/${id}`)).consumer.extra, {});
  });

  it('are taken if they are http or https, and images also as paths, as Keyrock has them', async () => {
    const extra = {
      url: 'http://reports.example.org:8080/start?a=b#c',
      img_original: 'ApplicationAvatar/original/a b.png'.replace(' ', '%20'),
      img_small: '/media/a.png',
      img_medium: 'HTTPS://cdn.example.org/a.png',
      logo_uri: 'https://reports.example.org/logo.png',
    };
    const { id } = await makeApplication(api, extra);
    assert.deepEqual(assertOk(await api.get(`${PATH}/${id}`)).consumer.extra, extra);
    const none = { url: '', img_small: null };
    assertOk(await api.patch(`${PATH}/${id}`, { consumer: none }));
  });

  it('are not handed out if they were stored before they were checked', async () => {
    const { id } = await makeApplication(api);
    const extra = JSON.stringify({ url: 'javascript:alert(1)', img_small: 'data:image/png;base64,AA==', ac_domain: 'x' });
    await db().write((tx) => tx.updateTable('consumers').set({ extra }).where('id', '=', id).execute());
    const { consumer } = assertOk(await api.get(`${PATH}/${id}`));
    assert.deepEqual([consumer.url, consumer.img_small, consumer.extra], [undefined, undefined, { ac_domain: 'x' }]);
    assertOk(await api.patch(`${PATH}/${id}`, { consumer: { description: 'other changes go on' } }));
  });
});
