// Algorithms and curves of COSE (RFC 9053, RFC 9864), by their JOSE names.
import type { Algorithm, PublicJwk } from '../jose/index.ts';

/** By COSE number, including the fully specified algorithms (RFC 9864). */
export const ALGORITHMS: ReadonlyMap<unknown, Algorithm> = new Map([
  [-7, 'ES256'],
  [-9, 'ES256'],
  [-35, 'ES384'],
  [-51, 'ES384'],
  [-36, 'ES512'],
  [-52, 'ES512'],
  [-8, 'EdDSA'],
  [-19, 'EdDSA'],
]);
/** Curves by COSE number, with their key type. The library's own table is wrong for two of them. */
const [OKP, EC2] = [1, 2];
export const CURVES: ReadonlyMap<
  unknown,
  { readonly kty: 'EC' | 'OKP'; readonly crv: string; readonly type: number; readonly alg: Algorithm }
> = new Map([
  [1, { kty: 'EC', crv: 'P-256', type: EC2, alg: 'ES256' }],
  [2, { kty: 'EC', crv: 'P-384', type: EC2, alg: 'ES384' }],
  [3, { kty: 'EC', crv: 'P-521', type: EC2, alg: 'ES512' }],
  [6, { kty: 'OKP', crv: 'Ed25519', type: OKP, alg: 'EdDSA' }],
]);

const curveOf = ({ kty, crv }: PublicJwk) => [...CURVES].find(([, curve]) => curve.kty === kty && curve.crv === crv);

/** Whether documents can be bound to a key: not to those for RSA, on other curves, or that sign nothing. */
export const isCoseKey = (jwk: PublicJwk): boolean => curveOf(jwk) !== undefined;

/** A public key as COSE_Key (RFC 9052, 7). */
export function coseKeyOf(jwk: PublicJwk): Map<number, unknown> {
  const { crv, x, y } = jwk;
  const [number, { type }] = curveOf(jwk) ?? [undefined, { type: undefined }];
  if (type === undefined) throw new Error(`a key on ${crv} is not one of COSE`);
  const bytes = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64url');
  return new Map<number, unknown>([[1, type], [-1, number], [-2, bytes(x)], ...(type === EC2 ? [[-3, bytes(y)] as const] : [])]);
}
