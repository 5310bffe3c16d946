// An attested wallet that was lost: it has refresh tokens, which no session ends. Its owner takes them from it.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { onDatabase, onUsualDatabase } from '../../../../test/support/api.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import {
  issuedTo,
  makeHolder,
  type RoleHolder,
  TestCredentialWallet,
  usesRoleWorld,
  withdraw,
} from '../../../../test/support/role-credentials.ts';
import { PAGE } from '../../../../test/support/role-credentials-page.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import {
  ATTESTED_WALLET,
  type AttestedTestWallet,
  OTHER_WALLET,
  usesAttestedWallet,
  usesWalletProvider,
} from '../../../../test/support/wallet-provider.ts';
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { issuingLock } from '../issued/index.ts';

const provider = usesWalletProvider();

onUsualDatabase(
  'An attested wallet that was lost',
  (api) => {
    const { world } = usesRoleWorld(api);
    const wallet = usesAttestedWallet(api, provider);
    /** Of the same provider, but not the one that was lost. */
    const other = usesAttestedWallet(api, provider);
    other.clientId = OTHER_WALLET;

    const tokenBy = (by: AttestedTestWallet, person: RoleHolder, browser?: TestBrowser) =>
      by.tokenByCode(person, world.scope, browser);
    const refresh = async (by: AttestedTestWallet, { refresh_token: token }: { refresh_token: string }) => {
      const { status, body } = await by.askToken({ grant_type: 'refresh_token', refresh_token: token });
      return status === 200 ? 'refreshed' : body.error;
    };

    /** A person whose wallet has two authorizations, and a credential by one of them; another wallet of theirs has one. */
    async function lose() {
      const person = await makeHolder(api, world);
      const unused = await tokenBy(wallet, person);
      const used = await tokenBy(wallet, person);
      await wallet.receive(used, world.sdJwt);
      const elsewhere = await tokenBy(other, person);
      const neighbour = await makeHolder(api, world);
      return { person, lost: [unused, used], kept: elsewhere, neighbour, theirs: await tokenBy(wallet, neighbour) };
    }
    type Lost = Awaited<ReturnType<typeof lose>>;
    async function assertEnded({ lost, kept, theirs }: Lost): Promise<void> {
      for (const token of lost) {
        assert.equal(await refresh(wallet, token), 'invalid_grant');
        assert.equal((await wallet.ask(token, world.sdJwt)).status, 401);
      }
      assert.deepEqual([await refresh(other, kept), await refresh(wallet, theirs)], ['refreshed', 'refreshed']);
    }

    it('gets nothing by any of its authorizations, when its owner revokes what it has', async () => {
      const all = await lose();
      const { person } = all;
      const [{ id }] = await issuedTo(api, person);
      await withdraw(api, id, 'revoke', { token: person.token });
      await assertEnded(all);
    });

    it('gets nothing when they do so on their page, and something when they authorize it again in the same browser', async () => {
      const all = await lose();
      const { person } = all;
      const browser = new TestBrowser(api);
      const before = await tokenBy(wallet, person, browser);
      const page = await browser.go(PAGE);
      const form = page.forms.find(({ fields }) => fields.step === 'credential-revoke');
      assert.ok(form, page.text);
      await browser.submit(page, 'credential-revoke', form.fields);
      await assertEnded({ ...all, lost: [...all.lost, before] });
      const again = await tokenBy(wallet, person, browser);
      assert.ok(await wallet.receive(again, world.sdJwt));
    });

    it('is among the applications with access, also without a credential, and its access ends there', async () => {
      const all = await lose();
      const { person } = all;
      const browser = new TestBrowser(api);
      const page = await browser.signIn(PAGE, person);
      const forms = page.forms.filter(({ fields }) => fields.step === 'revoke');
      assert.deepEqual(forms.map(({ fields }) => fields.application).sort(), [OTHER_WALLET, ATTESTED_WALLET]);
      await browser.submit(page, 'revoke', { application: ATTESTED_WALLET });
      await assertEnded(all);
      const { forms: left } = await browser.go(PAGE);
      assert.deepEqual(
        left.flatMap(({ fields }) => fields.application ?? []),
        [OTHER_WALLET],
      );
    });
  },
  { settings: { ...provider.settings, GATEHOUSE_IDENTITY_HAIP: 'on' } },
);

/** In an order that only PostgreSQL lets happen. */
onDatabase('PostgreSQL', 'A wallet that asks at the moment when its access ends', {}, (api) => {
  const db = usesDatabaseOf(api);
  const { world, person } = usesRoleWorld(api);

  it('gets nothing', async () => {
    const wallet = new TestCredentialWallet(api);
    const token = await wallet.tokenFor(person, world.sdJwt);
    const answer = await db().write(async (tx) => {
      await takeAdvisoryLock(db(), tx, issuingLock(person.id));
      const asked = wallet.ask(token, world.sdJwt);
      const isWaiting = async (): Promise<boolean> => {
        const waiting = sql<{ count: string }>`select count(*) as count from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`;
        return Number((await waiting.execute(db().read)).rows[0]?.count) > 0;
      };
      while (!(await isWaiting())) await sleep(20);
      await tx.deleteFrom('openid_records').where('user_id', '=', person.id).where('model', '=', 'Grant').execute();
      return { asked };
    });
    const { status, text } = await answer.asked;
    assert.equal(status, 401, text);
    assert.deepEqual(await issuedTo(api, person), []);
  });
});
