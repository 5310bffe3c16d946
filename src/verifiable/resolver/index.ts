export { fromBase58, toBase58 } from './base58.ts';
export { didJwkOf, documentOfDidJwk } from './did-jwk.ts';
export { didKeyOf, documentOfDidKey } from './did-key.ts';
export { didWebOf, webUrlOf } from './did-web.ts';
export { type ResolutionCode, ResolutionError } from './errors.ts';
export { readPublicJwk, readVerificationJwk } from './public-jwk.ts';
export { createResolver, type Resolver } from './resolver.ts';
export { keyInDocument } from './verification-method.ts';
