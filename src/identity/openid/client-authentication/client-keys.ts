// The public keys of a client, or of the platform that runs it: registered by value, or read from an address by the guarded client.
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { Outbound } from '../../../platform/outbound/index.ts';
import { type ClientKey, readClientKeys } from '../../applications/consumers/index.ts';

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

/** Where keys are: here, at their address, or where the discovery document of an issuer says. */
export interface KeySource {
  readonly jwks?: unknown;
  readonly jwksUri?: string | undefined;
  readonly issuer?: string;
}

type Ask = (url: string) => Promise<unknown>;

async function keysAt(ask: Ask, url: string): Promise<readonly ClientKey[]> {
  const set = await ask(url);
  if (!Array.isArray((set as { keys?: unknown } | null)?.keys)) throw new Error('the answer is no set of keys');
  return readClientKeys(set);
}

/** OpenID Connect Discovery, 4: whoever answers there must call itself by this name. */
async function keysOfIssuer(ask: Ask, issuer: string): Promise<readonly ClientKey[]> {
  const document = (await ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)) as {
    readonly issuer?: unknown;
    readonly jwks_uri?: unknown;
  } | null;
  if (document?.issuer !== issuer) throw new Error('the issuer calls itself something else');
  if (typeof document.jwks_uri !== 'string') throw new Error('the issuer has no jwks_uri');
  return keysAt(ask, document.jwks_uri);
}

export function createClientKeys({ outbound, clock, log }: { outbound: Outbound; clock: Clock; log: Pick<Log, 'warn'> }) {
  const known = new Map<string, ReadKeys>();
  const reading = new Map<string, Promise<void>>();

  function remember(uri: string, read: ReadKeys): void {
    known.delete(uri);
    known.set(uri, read);
    if (known.size > MAX_ADDRESSES) known.delete(known.keys().next().value!);
  }

  async function ask(url: string): Promise<unknown> {
    const { status, body } = await outbound({
      method: 'GET',
      url,
      headers: { Accept: 'application/jwk-set+json, application/json' },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      kind: 'client-keys',
    });
    if (status !== 200) throw new Error(`the answer is ${status}`);
    return JSON.parse(body.toString());
  }

  async function readSource(name: string, load: () => Promise<readonly ClientKey[]>): Promise<void> {
    const triedAt = clock.now();
    try {
      remember(name, { keys: await load(), readAt: triedAt, triedAt });
    } catch (err) {
      log.warn({ err, uri: name }, 'could not read the keys of an application');
      remember(name, { ...(known.get(name) ?? NEVER), triedAt });
    }
  }

  /** Once for all who wait. */
  async function refresh(name: string, load: () => Promise<readonly ClientKey[]>): Promise<void> {
    if (!reading.has(name) && reading.size >= MAX_READING) return;
    const flight = reading.get(name) ?? readSource(name, load).finally(() => reading.delete(name));
    reading.set(name, flight);
    await flight;
  }

  async function cached(
    name: string,
    load: () => Promise<readonly ClientKey[]>,
    kid: string | undefined,
  ): Promise<readonly ClientKey[]> {
    const now = clock.now();
    const { keys, readAt, triedAt } = known.get(name) ?? NEVER;
    const isOld = now - readAt >= GOOD_MS || readAt > now;
    const isNew = kid !== undefined && !keys.some((key) => key.kid === kid);
    if ((isOld || isNew) && (now - triedAt >= AGAIN_MS || triedAt > now)) await refresh(name, load);
    const current = known.get(name) ?? NEVER;
    return clock.now() - current.readAt < KEPT_MS ? current.keys : [];
  }

  return {
    /** `kid`: of the key that is looked for. An address is asked again for one that is new there. */
    async read({ jwks, jwksUri, issuer }: KeySource, kid?: string): Promise<readonly ClientKey[]> {
      if (jwksUri !== undefined) return cached(jwksUri, () => keysAt(ask, jwksUri), kid);
      if (jwks !== undefined || issuer === undefined) return readClientKeys(jwks);
      return cached(`issuer ${issuer}`, () => keysOfIssuer(ask, issuer), kid);
    },
  };
}

export type ClientKeys = ReturnType<typeof createClientKeys>;
