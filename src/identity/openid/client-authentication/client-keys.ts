// The public keys of a client: registered by value, or read from its address by the guarded client.
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { Outbound } from '../../../platform/outbound/index.ts';
import { type ClientKey, type RegisteredAuthentication, readClientKeys } from '../../applications/consumers/index.ts';

/** So long a key that was taken from the address is accepted at most, while the address answers. */
const GOOD_MS = 5 * 60_000;
/** While the address does not answer. */
const KEPT_MS = 60 * 60_000;
/** A stranger can name a key that is not there. */
const AGAIN_MS = 60_000;
const TIMEOUT_MS = 4_000;
const MAX_BYTES = 64 * 1024;
const MAX_ADDRESSES = 1000;
/** Addresses that are read at the same moment. */
const MAX_READING = 20;

interface ReadKeys {
  readonly keys: readonly ClientKey[];
  /** In milliseconds: of the keys, and of the last attempt. */
  readonly readAt: number;
  readonly triedAt: number;
}

const NEVER: ReadKeys = { keys: [], readAt: Number.NEGATIVE_INFINITY, triedAt: Number.NEGATIVE_INFINITY };

function keysOfAnswer(status: number, body: Buffer): readonly ClientKey[] {
  if (status !== 200) throw new Error(`the answer is ${status}`);
  const set: unknown = JSON.parse(body.toString());
  if (!Array.isArray((set as { keys?: unknown } | null)?.keys)) throw new Error('the answer is no set of keys');
  return readClientKeys(set);
}

export function createClientKeys({ outbound, clock, log }: { outbound: Outbound; clock: Clock; log: Pick<Log, 'warn'> }) {
  const known = new Map<string, ReadKeys>();
  const reading = new Map<string, Promise<void>>();

  function remember(uri: string, read: ReadKeys): void {
    known.delete(uri);
    known.set(uri, read);
    if (known.size > MAX_ADDRESSES) known.delete(known.keys().next().value!);
  }

  async function readAddress(uri: string): Promise<void> {
    const triedAt = clock.now();
    try {
      const { status, body } = await outbound({
        method: 'GET',
        url: uri,
        headers: { Accept: 'application/jwk-set+json, application/json' },
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        kind: 'client-keys',
      });
      remember(uri, { keys: keysOfAnswer(status, body), readAt: triedAt, triedAt });
    } catch (err) {
      log.warn({ err, uri }, 'could not read the keys of an application');
      remember(uri, { ...(known.get(uri) ?? NEVER), triedAt });
    }
  }

  /** Once for all who wait. */
  async function refresh(uri: string): Promise<void> {
    if (!reading.has(uri) && reading.size >= MAX_READING) return;
    const flight = reading.get(uri) ?? readAddress(uri).finally(() => reading.delete(uri));
    reading.set(uri, flight);
    await flight;
  }

  async function atAddress(uri: string, kid: string | undefined): Promise<readonly ClientKey[]> {
    const now = clock.now();
    const { keys, readAt, triedAt } = known.get(uri) ?? NEVER;
    const isOld = now - readAt >= GOOD_MS || readAt > now;
    const isNew = kid !== undefined && !keys.some((key) => key.kid === kid);
    if ((isOld || isNew) && (now - triedAt >= AGAIN_MS || triedAt > now)) await refresh(uri);
    const current = known.get(uri) ?? NEVER;
    return clock.now() - current.readAt < KEPT_MS ? current.keys : [];
  }

  return {
    /** `kid`: of the key that is looked for. An address is asked again for one that is new there. */
    async read({ jwks, jwksUri }: RegisteredAuthentication, kid?: string): Promise<readonly ClientKey[]> {
      return jwksUri === undefined ? readClientKeys(jwks) : atAddress(jwksUri, kid);
    },
  };
}

export type ClientKeys = ReturnType<typeof createClientKeys>;
