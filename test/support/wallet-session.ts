// Internals of a session for tests: its id, its tokens, and its row in the database.
import { createHash } from 'node:crypto';
import { createSeal } from '../../src/platform/seal/index.ts';
import { actForSession, readForSession } from '../../src/wallet/access/owners.store.ts';
import { sessionSealContext } from '../../src/wallet/session/index.ts';
import type { ApiAnswer } from './api.ts';
import type { TestWallet } from './wallet.ts';

export interface SessionSecrets {
  readonly id: string;
  readonly idHash: string;
  readonly idToken: string;
  readonly refreshToken: string;
}

/** Decrypts a session like the service. */
export async function secretsOf(wallet: TestWallet, cookie: string): Promise<SessionSecrets> {
  const seal = createSeal([wallet.masterKey]);
  const id = seal.open(cookie.slice(cookie.indexOf('=') + 1), 'wallet session cookie').toString();
  const idHash = createHash('sha256').update(id).digest('base64url');
  const db = await wallet.database();
  try {
    const row = await readForSession(db, idHash, (reader) =>
      reader.selectFrom('sessions').where('id_hash', '=', idHash).select('sealed').executeTakeFirstOrThrow(),
    );
    const { idToken, refreshToken } = JSON.parse(seal.open(row.sealed, sessionSealContext(idHash)).toString());
    return { id, idHash, idToken, refreshToken };
  } finally {
    await new Promise((resolve) => setImmediate(resolve));
    await db.close();
  }
}

/**
 * Removes fields that an earlier version, or a minimal provider, would not have stored. Restarts the wallet, because it caches
 * sessions.
 */
export async function downgradeSessions(wallet: TestWallet, cookies: readonly string[]): Promise<void> {
  const hashes = await Promise.all(cookies.map(async (cookie) => (await secretsOf(wallet, cookie)).idHash));
  const seal = createSeal([wallet.masterKey]);
  await wallet.service.stop(1000);
  const db = await wallet.database();
  for (const idHash of hashes)
    await db.write(async (tx) => {
      await actForSession(db, tx, idHash);
      const sessions = tx.selectFrom('sessions').where('id_hash', '=', idHash);
      const { sealed } = await sessions.select('sealed').executeTakeFirstOrThrow();
      const {
        sid: _,
        accessEndsAt: __,
        endsAt: ___,
        ...kept
      } = JSON.parse(seal.open(sealed, sessionSealContext(idHash)).toString());
      const former = seal.seal(Buffer.from(JSON.stringify(kept)), sessionSealContext(idHash));
      await tx.updateTable('sessions').set({ sealed: former, sid_hash: null }).where('id_hash', '=', idHash).execute();
    });
  await db.close();
  await wallet.open();
}

export interface ParsedCookie {
  readonly name: string;
  readonly value: string;
  readonly attributes: readonly string[];
}

/** The cookies an answer sets, by name: `gatehouse_wallet` or `gatehouse_wallet_login`. */
export function cookiesOf(answer: ApiAnswer): Record<string, ParsedCookie> {
  return Object.fromEntries(
    answer.headers.getSetCookie().map((line) => {
      const [pair = '', ...attributes] = line.split('; ');
      const at = pair.indexOf('=');
      return [pair.slice(0, at), { name: pair.slice(0, at), value: pair.slice(at + 1), attributes: attributes.sort() }];
    }),
  );
}

/** Whether the answer removes the session cookie. */
export function isCleared(answer: ApiAnswer, name = 'gatehouse_wallet'): boolean {
  const cookie = cookiesOf(answer)[name];
  return cookie?.value === '' && cookie.attributes.includes('Max-Age=0');
}
