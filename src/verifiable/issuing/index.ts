// Makes credentials. `formats/` reads them.

export type { CredentialDraft, CredentialSigner, IssuedFormat, IssuedType } from './issued-format.ts';
export { type JwtVcDraft, jwtVcOf } from './jwt-vc.ts';
export { type HolderKey, type SdJwtDraft, SdJwtError, sdJwtOf } from './sd-jwt.ts';
export { ISSUED_FORMAT_NAMES, ISSUED_FORMATS, type IssuedFormatName, issuedFormatShownAs } from './table.ts';
