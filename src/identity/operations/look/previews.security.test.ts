// Each preview is stored for some minutes: one person makes only so many, of whichever kind.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';

const MOST = 120;
const look = { name: 'Harbour', color: null, scheme: 'dark' };
const TEXT = '/v3/OS-SERVICE/mail/texts/en/registration-refused';

onUsualDatabase(
  'Previews',
  (api) => {
    const db = usesDatabaseOf(api);
    const count = async (): Promise<number> => (await db().read.selectFrom('previews').select('id').execute()).length;
    const preview = (options = {}) => api.post('/v3/OS-SERVICE/look/preview', { look }, options);

    it('are limited for one person, of all kinds together, and not for others', async () => {
      const { token } = await api.persona(['admin'], 'system');
      const before = await count();
      api.clock.hold();
      for (let made = 0; made < MOST; made += 20)
        for (const answer of await Promise.all(Array.from({ length: 20 }, () => preview({ token })))) assertOk(answer);
      const refused = await preview({ token });
      assertRefused(refused, 429);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      const { subject, body } = assertOk(await api.get(TEXT)).mail_text;
      assertRefused(await api.post(`${TEXT}/preview`, { mail_text: { subject, body } }, { token }), 429);
      assertRefused(await api.post('/v3/OS-SERVICE/domains/default/look/preview', { look }, { token }), 429);
      assert.equal(await count(), before + MOST, 'what is refused is not stored');
      assertOk(await preview());
      api.clock.advance(2);
      assertOk(await preview({ token }));
    });
  },
  { rateLimits: true },
);
