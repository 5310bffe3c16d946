// Signature algorithms, public keys and JWS, by their JOSE names. The lowest layer: it has no access to stored keys.
export {
  ALGORITHMS,
  type Algorithm,
  algorithmOf,
  curveOf,
  generatePair,
  hashOf,
  isAcceptableRsa,
  MAX_RSA_BITS,
  PROOF_ALGORITHMS,
  type PublicJwk,
  publicJwkOf,
  signWith,
  thumbprintOf,
  verifyWith,
} from './algorithms.ts';
export { type DecodedJws, decodeJws, isUnsafeJson, JwsError, MAX_DEPTH, signJws, verifyJws } from './jws.ts';
export { generateRsa } from './rsa.ts';
