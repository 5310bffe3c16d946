// Key attestations (OID4VCI, appendix D): a wallet provider says which keys are in a wallet, and how they are stored.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { decodeJws, type PublicJwk, publicJwkOf, thumbprintOf, verifyJws } from '../../../verifiable/jose/index.ts';
import { readVerificationJwk } from '../../../verifiable/resolver/index.ts';
import type { WalletProviders } from '../../applications/wallet-providers/index.ts';
import { fail } from '../../ground/faults.ts';

const TYPE = 'key-attestation+jwt';
const MAX_LENGTH = 64 * 1024;
/** Clocks of providers differ. */
const AHEAD_SECONDS = 60;

export interface AttestedKey {
  readonly jwk: PublicJwk;
  readonly thumbprint: string;
  readonly kid: string | undefined;
}

export interface KeyAttestation {
  /** At least one, each once. */
  readonly keys: readonly AttestedKey[];
  readonly nonce: string | undefined;
  readonly hasEnd: boolean;
}

/** What attestations have to say. */
export interface KeyAttestationRules {
  readonly isRequired: boolean;
  /** One of these; any, if there are none. */
  readonly keyStorage: readonly string[];
  readonly userAuthentication: readonly string[];
}

export interface KeyAttestationDeps {
  readonly clock: Clock;
  readonly providers: Pick<WalletProviders, 'isKnown' | 'keyForKeys'>;
  rules(): KeyAttestationRules;
  /** As the metadata lists them for proofs. */
  readonly algorithms: readonly string[];
  maxKeys(): number;
}

type Json = Readonly<Record<string, unknown>>;

const refuse = (why: string): never => fail('role_credential.invalid_proof', { why: `its key attestation ${why}` });

function attestedKey(value: unknown): AttestedKey {
  const jwk = readVerificationJwk(value);
  const { kid } = value as { kid?: unknown };
  return { jwk, thumbprint: thumbprintOf(jwk), kid: typeof kid === 'string' ? kid : undefined };
}

const hasOneOf = (said: unknown, wanted: readonly string[]): boolean =>
  wanted.length === 0 || (Array.isArray(said) && wanted.some((one) => said.includes(one)));

export function createKeyAttestations({ clock, providers, rules, algorithms, maxKeys }: KeyAttestationDeps) {
  function checkTimes({ iat, exp, nbf }: Json): void {
    const now = seconds(clock);
    if (typeof iat !== 'number' || iat > now + AHEAD_SECONDS) refuse('has no time, or one to come');
    if (exp !== undefined && !(typeof exp === 'number' && exp > now)) refuse('has expired');
    if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now + AHEAD_SECONDS)) refuse('is not valid yet');
  }

  function keysOf({ attested_keys: all }: Json): AttestedKey[] {
    if (!Array.isArray(all) || all.length === 0) return refuse('has no keys');
    if (all.length > maxKeys()) return refuse('has too many keys');
    const keys = all.map(attestedKey);
    if (new Set(keys.map(({ thumbprint }) => thumbprint)).size < keys.length) refuse('has a key twice');
    return keys;
  }

  async function verified(jwt: unknown): Promise<Json> {
    const { header, payload } = decodeJws(jwt, MAX_LENGTH);
    if (header.typ !== TYPE) return refuse(`is not of the type ${TYPE}`);
    if (!algorithms.includes(String(header.alg))) return refuse('has an algorithm that is not one of the metadata');
    await verifyJws(jwt as string, publicJwkOf(providers.keyForKeys(header)), MAX_LENGTH);
    return payload;
  }

  return {
    isKnown: providers.isKnown,
    isRequired: () => rules().isRequired,

    /** For the metadata (OID4VCI, 12.2.4); undefined if none is required. */
    requirement(): Json | undefined {
      const { isRequired, keyStorage, userAuthentication } = rules();
      if (!isRequired) return undefined;
      return {
        ...(keyStorage.length > 0 ? { key_storage: keyStorage } : {}),
        ...(userAuthentication.length > 0 ? { user_authentication: userAuthentication } : {}),
      };
    },

    async read(jwt: unknown): Promise<KeyAttestation> {
      try {
        const payload = await verified(jwt);
        checkTimes(payload);
        if (!hasOneOf(payload.key_storage, rules().keyStorage)) refuse('says that its keys are stored in another way');
        if (!hasOneOf(payload.user_authentication, rules().userAuthentication))
          refuse('says that its keys are unlocked in another way');
        const { nonce, exp } = payload;
        return { keys: keysOf(payload), nonce: typeof nonce === 'string' ? nonce : undefined, hasEnd: exp !== undefined };
      } catch (error) {
        if ((error as { code?: unknown }).code === 'role_credential.invalid_proof') throw error;
        return refuse('is not made by anybody who is trusted, or cannot be used');
      }
    },
  };
}

export type KeyAttestations = ReturnType<typeof createKeyAttestations>;
