// People get a mail when a wallet received a credential that signs them in, as with any other new way to sign in.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { onEachDatabase } from '../../../../test/support/api.ts';
import { MailServer, smtpSettings } from '../../../../test/support/mail-server.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { TestCredentialWallet, usesRoleWorld } from '../../../../test/support/role-credentials.ts';

const server = new MailServer();
await server.open();
// So that the process can end.
server.unref();

for (const policy of ['first', 'off'] as const)
  onEachDatabase(
    `Where wallets sign people in: ${policy}`,
    (api) => {
      const db = usesDatabaseOf(api);
      const { world, person } = usesRoleWorld(api);

      it('a received credential is reported once for everything that is fetched together', async () => {
        const wallet = new TestCredentialWallet(api);
        const token = await wallet.tokenFor(person, world.sdJwt, world.jwtVc);
        for (const id of [world.sdJwt, world.jwtVc]) await wallet.receive(token, id);
        const waiting = async () => (await db().read.selectFrom('mails').select('id').execute()).length;
        for (const end = Date.now() + 30_000; (await waiting()) > 0; await delay(50)) assert.ok(Date.now() < end);
        const mails = server.to(`${person.name}@example.org`).map(({ mail }) => mail);
        assert.equal(mails.length, policy === 'off' ? 0 : 1);
        for (const { subject, text } of mails) {
          assert.equal(subject, 'A wallet received a credential for your account');
          assert.ok(text?.includes('“Shop manager”'), text);
        }
      });
    },
    { settings: { ...smtpSettings(server), GATEHOUSE_IDENTITY_WALLET_SIGN_IN: policy } },
  );
