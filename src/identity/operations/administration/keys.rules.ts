// The keys of the service: those of tokens, of the OpenID provider, of the issuer of credentials, and of requests to wallets. The keys themselves are never shown.
import { isoTime, seconds } from '../../../platform/clock.ts';
import { withoutTimeLimit } from '../../../platform/deadline.ts';
import { type Caller, type FreshLogin, factsOnly, type IdentityTarget } from '../../access/rules/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import type { MasterKeyRotation } from '../../ground/module-options.ts';
import type { Deps } from '../../ground/resource/index.ts';

interface KeyInfo {
  readonly id: string;
  readonly algorithm: string;
  /** Seconds. */
  readonly activeFrom: number;
}

interface Keys {
  /** The oldest first. */
  list(): Promise<readonly KeyInfo[]>;
  rotate(actor: Actor): Promise<void>;
  /** When the service itself rotates them (seconds); undefined: never. */
  rotatesAt(keys: readonly KeyInfo[]): number | undefined;
}

const KINDS = ['token', 'openid', 'issuer', 'verifier'] as const;
/** The master key is not listed: it may be known to a setting only. */
const MASTER = 'master';
export type KeyKind = (typeof KINDS)[number];
export type ServiceKeys = Readonly<Record<KeyKind, Keys>>;

interface KeyDeps extends Pick<Deps, 'clock'> {
  readonly keys: ServiceKeys;
  readonly masterKey?: MasterKeyRotation | undefined;
  readonly freshLogin: FreshLogin;
  reseal(actor: Actor): Promise<number>;
}

const time = (at: number): string => isoTime(at * 1000);

export function createKeys({ clock, keys, masterKey, freshLogin, reseal }: KeyDeps) {
  async function rotateMaster(caller: Caller) {
    await freshLogin.requireInPerson(caller, 'identity:rotate_service_keys');
    if (!masterKey) return fail('key.master_given');
    const made = await masterKey.rotate(() => withoutTimeLimit(() => reseal(caller)));
    const { id } = made ?? fail('key.master_file');
    const key = { id, algorithm: 'A256GCM', active_from: time(seconds(clock)), age_seconds: 0, state: 'current' as const };
    return { kind: MASTER, rotates_at: null, keys: [key] };
  }

  async function show(kind: KeyKind) {
    const now = seconds(clock);
    const all = await keys[kind].list();
    const isCurrent = ({ algorithm, activeFrom }: KeyInfo): boolean =>
      !all.some((other) => other.algorithm === algorithm && other.activeFrom > activeFrom && other.activeFrom <= now);
    const rotatesAt = keys[kind].rotatesAt(all);
    return {
      kind,
      rotates_at: rotatesAt === undefined ? null : time(rotatesAt),
      keys: all.map((key) => ({
        id: key.id,
        algorithm: key.algorithm,
        active_from: time(key.activeFrom),
        age_seconds: Math.max(now - key.activeFrom, 0),
        state: key.activeFrom > now ? 'announced' : isCurrent(key) ? 'current' : 'previous',
      })),
    };
  }

  return {
    list: () => Promise.all(KINDS.map(show)),

    target(kind: string): IdentityTarget<KeyKind | typeof MASTER> {
      const found = [...KINDS, MASTER].find((one) => one === kind) as KeyKind | typeof MASTER | undefined;
      return { ...factsOnly({}), get: () => found ?? fail('key.kind_not_found', { kind }) };
    },

    /** A new key is announced first, so that every replica and every client has it before it is used. */
    async rotate(caller: Caller, kind: KeyKind | typeof MASTER) {
      if (kind === MASTER) return rotateMaster(caller);
      const now = seconds(clock);
      const isAnnounced = (await keys[kind].list()).some(({ activeFrom }) => activeFrom > now);
      // Otherwise repeated requests would fill the table, and what clients fetch, with keys that are never used.
      if (isAnnounced) fail('key.announced', { kind });
      await keys[kind].rotate(caller);
      return show(kind);
    },
  };
}
