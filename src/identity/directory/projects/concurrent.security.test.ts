// Requests at the same moment do not get around what each of them is refused for alone.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { underAttack, uniqueName } from '../../../../test/support/api.ts';

const ROUNDS = 12;

underAttack('Projects and domains, changed at the same moment', (api) => {
  it('have 80 tags at most', async () => {
    const tags = Array.from({ length: 79 }, (_, at) => `tag-${at}`);
    const project = await api.make('project', { name: uniqueName('tagged'), tags });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => api.put(`/v3/projects/${project.id}/tags/another-${at}`)),
    );
    assert.deepEqual(answers.filter(({ status }) => status < 300).length, 1);
    assert.equal((await api.get(`/v3/projects/${project.id}/tags`)).body.tags.length, 80);
  });

  it('are not enabled below one that is disabled', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const parent = await api.make('project', { name: uniqueName('parent') });
      const child = await api.make('project', { name: uniqueName('child'), parent_id: parent.id, enabled: false });
      const enabled = (id: string, value: boolean) => api.patch(`/v3/projects/${id}`, { project: { enabled: value } });
      const answers = await Promise.all([
        enabled(parent.id, false),
        enabled(child.id, true),
        api.post('/v3/projects', { project: { name: uniqueName('late'), parent_id: parent.id } }),
      ]);
      const [closed, opened, created] = answers.map(({ status }) => status < 300);
      assert.equal(closed && (opened || created), false, answers.map(({ status, text }) => `${status} ${text}`).join('\n'));
    }
  });

  it('are not deleted once they are enabled', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const domain = await api.make('domain', { name: uniqueName('domain'), enabled: false });
      const [enabled, deleted] = await Promise.all([
        api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: true } }),
        api.delete(`/v3/domains/${domain.id}`),
      ]);
      assert.deepEqual([enabled.status, deleted.status].sort(), deleted.status === 204 ? [204, 404] : [200, 403], deleted.text);
    }
  });
});
