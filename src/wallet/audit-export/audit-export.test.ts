// The wallet node exports its audit events, and deletes old ones.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { onEachWallet } from '../../../test/support/wallet.ts';
import { SETTLE_SECONDS } from '../../platform/audit-export/index.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'gatehouse-wallet-audit-'));
const FILE = join(FOLDER, 'events.ndjson');
const DAY = 86_400;
const PATIENCE_MS = 60_000;
after(() => rmSync(FOLDER, { recursive: true, force: true }));

interface Message {
  readonly event_type: string;
  readonly payload: { readonly action: string; readonly target: { readonly typeURI: string } };
}

onEachWallet(
  'Audit events of the wallet node',
  (wallet) => {
    after(() => rmSync(FILE, { force: true }));

    it('go to a file, and are deleted when they are old and there', async () => {
      await wallet.logIn('anna');
      wallet.clock.advance(SETTLE_SECONDS.postgres);
      const messages = (): Message[] =>
        readFileSync(FILE, { encoding: 'utf8', flag: 'a+' })
          .split('\n')
          // The last line may be half written.
          .slice(0, -1)
          .map((line) => JSON.parse(line) as Message);
      const hasLogin = () => messages().some(({ event_type: type }) => type === 'wallet.authenticate');
      for (const end = Date.now() + PATIENCE_MS; !hasLogin() && Date.now() < end; ) await delay(50);
      const key = messages().find(({ event_type: type }) => type === 'wallet.key.created')!;
      assert.deepEqual([key.payload.action, key.payload.target.typeURI], ['created.key', 'data/security/key']);
      const exported = messages().length;
      wallet.clock.advance(31 * DAY);
      // What is in the file counts as exported a moment later.
      let swept = 0;
      for (const end = Date.now() + PATIENCE_MS; swept < exported && Date.now() < end; await delay(50))
        swept += (await wallet.service.sweep()).audited!;
      assert.ok(swept >= exported, `${swept} of ${exported}`);
    });
  },
  { settings: { GATEHOUSE_WALLET_AUDIT_FILE: FILE, GATEHOUSE_WALLET_AUDIT_DAYS: '30' } },
);
