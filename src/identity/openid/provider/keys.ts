// The keys of the OpenID provider: signing keys, published as JWKS, and cookie keys.
import { generateKeyPair as generateKeyPairCallback, type JsonWebKey, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { seconds } from '../../../platform/clock.ts';
import { takeAdvisoryLock } from '../../../platform/database/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import { type Actor, serviceActor } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { deleteKeys, insertKeys, readKeys, type SealedKey } from './keys.store.ts';

const generateKeyPair = promisify(generateKeyPairCallback);

/** The first is the default: OpenID Connect requires every client to support it. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'] as const;
const COOKIE = 'cookie';
const TAG = 'openid_keys';
/** Long enough for clients that cache our JWKS to fetch a new key before it signs. */
const ANNOUNCE_SECONDS = 3600;
/** How long a replaced key is still published. Nothing it signed lives longer. */
const KEEP_SECONDS = 7 * 86_400;

export type OpenidSigningKey = JsonWebKey & { readonly kid: string; readonly alg: string; readonly use: 'sig' };

export interface Keyring {
  /** In the order of use: the current signing key first. */
  readonly signing: readonly OpenidSigningKey[];
  readonly cookies: readonly string[];
  /** When the next key becomes active (seconds); null if there is none. */
  readonly changesAt: number | null;
}

export interface RotationOptions {
  readonly actor?: Actor;
  /** Fails if a successor waits already. */
  readonly unlessAnnounced?: boolean;
}

const sealContextOf = (id: string): string => `openid_keys/${id}`;

async function generateSecret(kind: string): Promise<string> {
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
  const changeHandlers: (() => void)[] = [];
  db.feed.onChange((tags) => {
    if (!tags || tags.includes(TAG)) for (const handler of changeHandlers) handler();
  });

  async function generateKey(kind: string, activeFrom: number): Promise<SealedKey> {
    const id = newId();
    return { id, kind, sealed: seal.seal(Buffer.from(await generateSecret(kind)), sealContextOf(id)), active_from: activeFrom };
  }

  const open = ({ id, sealed }: SealedKey): string => seal.open(sealed, sealContextOf(id)).toString();

  const signingKey = (row: SealedKey): OpenidSigningKey => ({
    ...(JSON.parse(open(row)) as JsonWebKey),
    kid: row.id,
    alg: row.kind,
    use: 'sig',
  });

  /** Active keys first, newest first; then the announced ones. */
  function inOrder(rows: readonly SealedKey[], now: number): SealedKey[] {
    const active = rows.filter((row) => row.active_from <= now).reverse();
    return [...active, ...rows.filter((row) => row.active_from > now)];
  }

  /** The current keys. Generated on first use: generating an RSA key takes longer than the start of the service. */
  async function readKeyring(): Promise<Keyring> {
    const now = seconds(clock);
    let rows = await readKeys(db.read);
    if (rows.length === 0) {
      await generateFirstKeys();
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

  async function generateFirstKeys(): Promise<void> {
    const keys = await Promise.all([...ALGORITHMS, COOKIE].map((kind) => generateKey(kind, seconds(clock))));
    await change(serviceActor, async ({ tx, audit, invalidate }) => {
      await takeAdvisoryLock(db, tx, TAG);
      audit('openid_keys.made', { kind: 'openid_keys', id: TAG }, { count: keys.length });
      if ((await readKeys(tx)).length > 0) return;
      await insertKeys(tx, keys);
      invalidate(TAG);
    });
  }

  return {
    readKeyring,
    onChange: (handler: () => void): void => void changeHandlers.push(handler),

    /** Adds a successor for every key. It becomes active in an hour; the replaced key is published for another week. */
    async rotate({ actor = serviceActor, unlessAnnounced = false }: RotationOptions = {}): Promise<void> {
      const now = seconds(clock);
      const keys = await Promise.all([...ALGORITHMS, COOKIE].map((kind) => generateKey(kind, now + ANNOUNCE_SECONDS)));
      await change(actor, async ({ tx, audit, invalidate }) => {
        await takeAdvisoryLock(db, tx, TAG);
        const rows = await readKeys(tx);
        if (unlessAnnounced && rows.some((row) => row.active_from > now)) fail('key.announced', { kind: 'openid' });
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

    /** Without the keys themselves, the oldest first. */
    list: async () =>
      (await readKeys(db.read)).map(({ id, kind, active_from }) => ({ id, algorithm: kind, activeFrom: active_from })),
  };
}

export type OpenidKeys = ReturnType<typeof createOpenidKeys>;
