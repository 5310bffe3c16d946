// The keys of the OpenID provider: those that sign tokens, published as JWKS, and those that guard its cookies.
import { generateKeyPair as generateKeyPairCallback, type JsonWebKey, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { seconds } from '../../../platform/clock.ts';
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { type Change, serviceActor } from '../../audit/index.ts';
import type { Deps } from '../../resource/index.ts';
import { deleteKeys, insertKeys, readKeys, resealKey, type SealedKey } from './keys.store.ts';

const generateKeyPair = promisify(generateKeyPairCallback);

/** The first is what clients get that ask for nothing: OpenID Connect insists that everyone can verify it. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;
const COOKIE = 'cookie';
const TAG = 'openid_keys';
/** Long enough for every client that keeps our JWKS to have fetched the new key before it signs. */
const ANNOUNCE_SECONDS = 3600;
/** How long a key that no longer signs is still published: nothing it signed lives longer. */
const KEEP_SECONDS = 7 * 86_400;

export type SigningKey = JsonWebKey & { readonly kid: string; readonly alg: string; readonly use: 'sig' };

export interface Keyring {
  /** In the order they are to be used: the one that signs first. */
  readonly signing: readonly SigningKey[];
  readonly cookies: readonly string[];
  /** When another key begins to sign (seconds); null when none is waiting. */
  readonly changesAt: number | null;
}

const placeOf = (id: string): string => `openid_keys/${id}`;

async function makeSecret(kind: string): Promise<string> {
  if (kind === COOKIE) return randomBytes(32).toString('base64url');
  const { privateKey } =
    kind === 'RS256'
      ? await generateKeyPair('rsa', { modulusLength: 2048 })
      : kind === 'ES256'
        ? await generateKeyPair('ec', { namedCurve: 'P-256' })
        : await generateKeyPair('ed25519');
  return JSON.stringify(privateKey.export({ format: 'jwk' }));
}

export function createOpenidKeys({ db, clock, change, seal }: Pick<Deps, 'db' | 'clock' | 'change'> & { seal: Seal }) {
  const changed: (() => void)[] = [];
  db.feed.onChange((tags) => {
    if (!tags || tags.includes(TAG)) for (const handler of changed) handler();
  });

  async function make(kind: string, activeFrom: number): Promise<SealedKey> {
    const id = newId();
    return { id, kind, sealed: seal.seal(Buffer.from(await makeSecret(kind)), placeOf(id)), active_from: activeFrom };
  }

  const open = ({ id, sealed }: SealedKey): string => seal.open(sealed, placeOf(id)).toString();

  const signingKey = (row: SealedKey): SigningKey => ({
    ...(JSON.parse(open(row)) as JsonWebKey),
    kid: row.id,
    alg: row.kind,
    use: 'sig',
  });

  /** Active ones first, the newest of them ahead; then those that wait. */
  function inOrder(rows: readonly SealedKey[], now: number): SealedKey[] {
    const active = rows.filter((row) => row.active_from <= now).reverse();
    return [...active, ...rows.filter((row) => row.active_from > now)];
  }

  /** The keys in use; made on first use, since making an RSA key takes longer than starting. */
  async function ring(): Promise<Keyring> {
    const now = seconds(clock);
    let rows = await readKeys(db.read);
    if (rows.length === 0) {
      await makeFirst();
      rows = await readKeys(db.read);
    }
    const waiting = rows.filter((row) => row.active_from > now).map((row) => row.active_from);
    const signing = rows.filter((row) => row.kind !== COOKIE);
    return {
      signing: ALGORITHMS.flatMap((alg) =>
        inOrder(
          signing.filter((row) => row.kind === alg),
          now,
        ),
      ).map(signingKey),
      cookies: inOrder(
        rows.filter((row) => row.kind === COOKIE),
        now,
      ).map(open),
      changesAt: waiting.length > 0 ? Math.min(...waiting) : null,
    };
  }

  async function makeFirst(): Promise<void> {
    const keys = await Promise.all([...ALGORITHMS, COOKIE].map((kind) => make(kind, seconds(clock))));
    await change(serviceActor, async ({ tx, audit, invalidate }) => {
      await takeAdvisoryLock(db, tx, TAG);
      audit('openid_keys.made', { kind: 'openid_keys', id: TAG }, { count: keys.length });
      if ((await readKeys(tx)).length > 0) return;
      await insertKeys(tx, keys);
      invalidate(TAG);
    });
  }

  return {
    ring,
    onChange: (handler: () => void): void => void changed.push(handler),

    /** A successor for every key; it signs in an hour, and what it replaces is published for a week more. */
    async rotate(): Promise<void> {
      const now = seconds(clock);
      const keys = await Promise.all([...ALGORITHMS, COOKIE].map((kind) => make(kind, now + ANNOUNCE_SECONDS)));
      await change(serviceActor, async ({ tx, audit, invalidate }) => {
        await takeAdvisoryLock(db, tx, TAG);
        const rows = await readKeys(tx);
        const gone = rows.filter((row) =>
          rows.some(
            (other) => other.kind === row.kind && other.active_from > row.active_from && other.active_from + KEEP_SECONDS < now,
          ),
        );
        await deleteKeys(
          tx,
          gone.map((row) => row.id),
        );
        await insertKeys(tx, keys);
        invalidate(TAG);
        audit('openid_keys.rotated', { kind: 'openid_keys', id: TAG }, { made: keys.length, removed: gone.length });
      });
    },

    async reseal({ tx }: Change): Promise<number> {
      const rows = await readKeys(tx);
      for (const row of rows) await resealKey(tx, row.id, seal.seal(Buffer.from(open(row)), placeOf(row.id)));
      return rows.length;
    },
  };
}

export type OpenidKeys = ReturnType<typeof createOpenidKeys>;
