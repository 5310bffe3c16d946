// How wallets show what is issued here: as the pages of the service look.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { png } from '../../../../test/support/pictures.ts';
import { PUBLIC_WALLETS, usesRoleWorld } from '../../../../test/support/role-credentials.ts';

onUsualDatabase(
  'The look of the issuer',
  (api) => {
    const { world } = usesRoleWorld(api);
    const metadata = async () => assertOk(await api.get('/.well-known/openid-credential-issuer'));
    const store = async (settings: Record<string, string | null>) =>
      assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings }));

    it('is that of the pages, from the moment it is stored', async () => {
      const plain = await metadata();
      assert.deepEqual(plain.display, [{ name: 'Gatehouse' }]);
      await store({ GATEHOUSE_IDENTITY_BRAND_NAME: 'Harbour', GATEHOUSE_IDENTITY_BRAND_COLOR: '#004488' });
      assertOk(await api.put('/v3/OS-SERVICE/look/logo', { picture: { content: png().toString('base64') } }));
      const { display, credential_configurations_supported: types } = await metadata();
      const uri = `data:image/png;base64,${png().toString('base64')}`;
      assert.deepEqual(display, [{ name: 'Harbour', logo: { uri, alt_text: 'Harbour' } }]);
      const [card] = types[world.sdJwt].credential_metadata.display;
      assert.deepEqual([card.background_color, card.text_color], ['#004488', '#ffffff']);
      assertOk(await api.delete('/v3/OS-SERVICE/look/logo'), 204);
      await store({ GATEHOUSE_IDENTITY_BRAND_COLOR: null });
      assert.equal((await metadata()).display[0].logo, undefined);
    });
  },
  { settings: PUBLIC_WALLETS },
);
