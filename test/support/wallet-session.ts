// What tests know of a session that nobody else may: its id, the tokens behind it, how it stands in the database.
import { createHash } from 'node:crypto';
import { createSeal } from '../../src/platform/seal/index.ts';
import { readForSession } from '../../src/wallet/owners.store.ts';
import { sessionPlace } from '../../src/wallet/session/index.ts';
import type { Answer } from './api.ts';
import type { TestWallet } from './wallet.ts';

export interface Secrets {
  readonly id: string;
  readonly idHash: string;
  readonly idToken: string;
  readonly refreshToken: string;
}

/** Opens a session as only the service can. */
export async function secretsOf(wallet: TestWallet, cookie: string): Promise<Secrets> {
  const seal = createSeal([wallet.masterKey]);
  const id = seal.open(cookie.slice(cookie.indexOf('=') + 1), 'wallet session cookie').toString();
  const idHash = createHash('sha256').update(id).digest('base64url');
  const db = await wallet.database();
  try {
    const row = await readForSession(db, idHash, (reader) =>
      reader.selectFrom('sessions').where('id_hash', '=', idHash).select('sealed').executeTakeFirstOrThrow(),
    );
    const { idToken, refreshToken } = JSON.parse(seal.open(row.sealed, sessionPlace(idHash)).toString());
    return { id, idHash, idToken, refreshToken };
  } finally {
    await new Promise((resolve) => setImmediate(resolve));
    await db.close();
  }
}

export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly attributes: readonly string[];
}

/** The cookies an answer sets, by their first letters: `gatehouse_wallet` or `gatehouse_wallet_login`. */
export function cookiesOf(answer: Answer): Record<string, Cookie> {
  return Object.fromEntries(
    answer.headers.getSetCookie().map((line) => {
      const [pair = '', ...attributes] = line.split('; ');
      const at = pair.indexOf('=');
      return [pair.slice(0, at), { name: pair.slice(0, at), value: pair.slice(at + 1), attributes: attributes.sort() }];
    }),
  );
}

/** Is the session cookie taken away? */
export function isCleared(answer: Answer, name = 'gatehouse_wallet'): boolean {
  const cookie = cookiesOf(answer)[name];
  return cookie?.value === '' && cookie.attributes.includes('Max-Age=0');
}
