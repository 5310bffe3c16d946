// The keys that encrypt tokens. A new key is announced before it is used. An old one is kept until all its tokens have expired.
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { isUniqueViolation } from '../../../platform/database/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { type Actor, type RunChange, serviceActor } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import type { TokenKey } from './token-format.ts';
import { deleteTokenKeys, insertTokenKey, readTokenKeys, type SealedTokenKey } from './token-keys.store.ts';

const TAG = 'token-keys';
const DAY = 86_400;
/** Long enough for every replica to load a new key before it is used. */
const ANNOUNCE_SECONDS = 60;
/** An unknown key id triggers a reload, but forged tokens must not cause one each. */
const RELOAD_MS = 1000;

const sealContext = (id: number): string => `token_keys/${id}`;

export interface TokenKeyRules {
  readonly tokenKeyDays: number;
  readonly tokenSeconds: number;
  readonly allowExpiredSeconds: number;
}

export interface KeyInfo {
  readonly id: string;
  readonly algorithm: string;
  /** Seconds. */
  readonly activeFrom: number;
}

export interface TokenKeys {
  /** The key for new tokens. */
  current(): TokenKey;
  /** The key with this id, if it is loaded. */
  find(id: number): KeyObject | undefined;
  /** Loads keys created by other processes, at most once a second. */
  reloadIfDue(): Promise<void>;
  /** Creates a key when the newest is too old (or, when forced, in use), and deletes keys that no valid token needs. */
  rotate(options?: { force?: boolean; actor?: Actor }): Promise<void>;
  /** Without the keys themselves, the oldest first. */
  list(): Promise<KeyInfo[]>;
  /** When the next key is created (seconds). */
  rotatesAt(keys: readonly KeyInfo[]): number | undefined;
}

export async function createTokenKeys(deps: {
  db: Database;
  change: RunChange;
  seal: Seal;
  clock: Clock;
  rules: TokenKeyRules;
}): Promise<TokenKeys> {
  const { db, change, seal, clock, rules } = deps;
  let keys: (TokenKey & { activeFrom: number })[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;
  let lookup: Promise<void> | undefined;
  let [reads, lastApplied] = [0, 0];

  async function reload(): Promise<void> {
    const read = ++reads;
    const rows = await readTokenKeys(db.read);
    // Answers may arrive out of order. An older one must not replace a newer one: it does not have the newest key.
    if (read < lastApplied) return;
    lastApplied = read;
    keys = rows.map(({ id, sealed, active_from }) => ({
      id,
      key: createSecretKey(seal.open(sealed, sealContext(id))),
      activeFrom: active_from,
    }));
  }

  function sealed(id: number, activeFrom: number): SealedTokenKey {
    return { id, sealed: seal.seal(randomBytes(32), sealContext(id)), active_from: activeFrom };
  }

  async function rotate({ force = false, actor = serviceActor }: { force?: boolean; actor?: Actor } = {}): Promise<void> {
    await reload();
    const now = seconds(clock);
    const newest = keys.at(-1);
    // Forced twice at once: the second finds the key that the first announced, and leaves it at that.
    const due = !newest || (force && newest.activeFrom <= now) || newest.activeFrom + rules.tokenKeyDays * DAY <= now;
    const life = rules.tokenSeconds + rules.allowExpiredSeconds + ANNOUNCE_SECONDS;
    // A key is needed until all its tokens have expired. It was last used when its successor became active.
    const gone = keys.filter((_, index) => {
      const successor = keys[index + 1];
      return successor !== undefined && successor.activeFrom + life < now;
    });
    if (!due && gone.length === 0) return;
    try {
      await change(actor, async ({ tx, audit, invalidate }) => {
        if (due) {
          const id = (newest?.id ?? 0) + 1;
          await insertTokenKey(tx, sealed(id, newest ? now + ANNOUNCE_SECONDS : now));
          audit('token_key.created', { kind: 'token_key', id: String(id) });
        }
        await deleteTokenKeys(
          tx,
          gone.map((key) => key.id),
        );
        for (const { id } of gone) audit('token_key.deleted', { kind: 'token_key', id: String(id) });
        invalidate(TAG);
      });
    } catch (error) {
      // Another process rotated at the same time; its key is used.
      if (!isUniqueViolation(error)) throw error;
    }
    await reload();
  }

  db.feed.onChange((tags) => {
    if (!tags || tags.includes(TAG)) void reload().catch(() => {});
  });
  await rotate();

  return {
    current() {
      const now = seconds(clock);
      return keys.findLast((key) => key.activeFrom <= now) ?? keys[0]!;
    },
    find: (id) => keys.find((key) => key.id === id)?.key,
    async reloadIfDue() {
      const now = performance.now();
      if (now - lookedAt < RELOAD_MS) return;
      lookup ??= reload()
        .then(() => {
          lookedAt = now;
        })
        .finally(() => {
          lookup = undefined;
        });
      // Whoever asks while the keys are read waits for them, too: their token may have the same new key.
      await lookup;
    },
    rotate,
    list: async () =>
      (await readTokenKeys(db.read)).map(({ id, active_from }) => ({
        id: String(id),
        algorithm: 'A256GCM',
        activeFrom: active_from,
      })),
    rotatesAt(all) {
      const newest = all.at(-1);
      return newest && newest.activeFrom + rules.tokenKeyDays * DAY;
    },
  };
}
