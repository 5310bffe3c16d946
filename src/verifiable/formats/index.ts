// Credential formats: verifying and presenting. Their libraries are loaded when they are first needed.
import type { Clock } from '../../platform/clock.ts';
import type { VerifyList } from '../status/index.ts';
import type { Trust } from '../trust/index.ts';
import type { Format, FormatName } from './format.ts';
import { createJwtVc } from './jwt-vc.ts';
import { createLdpVc } from './ldp-vc.ts';
import { createMdoc } from './mdoc.ts';
import { createSdJwt } from './sd-jwt.ts';
import { isObject } from './w3c.ts';

export {
  type Binding,
  type CredentialHolder,
  CredentialRejectedError,
  FORMATS,
  type Format,
  type FormatName,
  type HolderSign,
  type PresentationContext,
  type VerifiedCredential,
} from './format.ts';

export type Formats = Readonly<Record<FormatName, Format>>;

export function createFormats(deps: { trust: Trust; clock: Clock }): Formats {
  return {
    'dc+sd-jwt': createSdJwt(deps),
    jwt_vc_json: createJwtVc(deps),
    mso_mdoc: createMdoc(deps),
    ldp_vc: createLdpVc(deps),
  };
}

/** Bitstring status lists are W3C credentials, in either form. */
export const listVerifier =
  (formats: Formats): VerifyList =>
  async (raw) => {
    const { issuer, claims, validUntil } = await formats[typeof raw === 'string' ? 'jwt_vc_json' : 'ldp_vc'].verify(raw);
    const [subject] = [claims.credentialSubject].flat();
    return { issuer: issuer.id, subject: isObject(subject) ? subject : {}, ...(validUntil === undefined ? {} : { validUntil }) };
  };
