// Makes credentials: SD-JWT VCs and W3C credentials as JWT. `formats/` reads them.

export { type JwtVcDraft, jwtVcOf } from './jwt-vc.ts';
export { type HolderKey, type SdJwtDraft, SdJwtError, sdJwtOf } from './sd-jwt.ts';
