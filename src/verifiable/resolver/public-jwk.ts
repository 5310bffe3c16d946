// Validates public keys of others: supported types and sizes, canonical encoding, and no private members.
import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { isAcceptableRsa, MAX_RSA_BITS, type PublicJwk } from '../jose/index.ts';
import { InvalidKeyError } from './errors.ts';
import { isObject } from './json.ts';

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const EC_CURVES = ['P-256', 'P-384', 'P-521', 'secp256k1'];
const OKP_CURVES = ['Ed25519', 'X25519'];

function required(jwk: Readonly<Record<string, unknown>>): PublicJwk {
  const { kty, crv, x, y, n, e } = jwk as Record<string, string>;
  if (kty === 'EC' && EC_CURVES.includes(crv!)) return { kty, crv: crv!, x: x!, y: y! };
  if (kty === 'OKP' && OKP_CURVES.includes(crv!)) return { kty, crv: crv!, x: x! };
  if (kty === 'RSA') return { kty, n: n!, e: e! };
  throw new InvalidKeyError('its kind of key is not supported');
}

function keyObjectOf(jwk: PublicJwk): KeyObject {
  try {
    // Refuses points that are not on the curve.
    return createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
  } catch (error) {
    throw new InvalidKeyError('its key is malformed', { cause: error });
  }
}

/** JOSE algorithms that are not for signatures. */
const KEY_MANAGEMENT = /^(?:ECDH-|RSA-OAEP|RSA1_|A\d|PBES2|dir$)/;

/** A key for verifying signatures. `use`, `key_ops` and `alg` may forbid that (RFC 7517, 4.2 to 4.4). */
export function readVerificationJwk(value: unknown): PublicJwk {
  const jwk = readPublicJwk(value);
  const { use, key_ops: operations, alg } = value as { use?: unknown; key_ops?: unknown; alg?: unknown };
  if (use !== undefined && use !== 'sig') throw new InvalidKeyError('its key is not for signatures');
  if (operations !== undefined && !(Array.isArray(operations) && operations.includes('verify')))
    throw new InvalidKeyError('its key is not for verifying');
  if (alg !== undefined && (typeof alg !== 'string' || KEY_MANAGEMENT.test(alg)))
    throw new InvalidKeyError('its key is for another algorithm');
  return jwk;
}

/** Returns only the required members of RFC 7638. Other members of an untrusted JWK are dropped. */
export function readPublicJwk(value: unknown): PublicJwk {
  if (!isObject(value)) throw new InvalidKeyError('its JWK is not an object');
  if (PRIVATE_MEMBERS.some((member) => Object.hasOwn(value, member))) throw new InvalidKeyError('its JWK has private members');
  const jwk = required(value);
  if (Object.values(jwk).some((member) => typeof member !== 'string' || member.length > MAX_RSA_BITS / 5))
    throw new InvalidKeyError('its JWK has missing or oversized members');
  const key = keyObjectOf(jwk);
  const written = key.export({ format: 'jwk' }) as Record<string, unknown>;
  // Only the canonical encoding, or one key would have several thumbprints.
  if (Object.entries(jwk).some(([name, member]) => written[name] !== member))
    throw new InvalidKeyError('its JWK is not written as RFC 7518 wants');
  if (jwk.kty === 'RSA' && !isAcceptableRsa(key))
    throw new InvalidKeyError('its RSA key has a size or an exponent that is not acceptable');
  return jwk;
}
