// Credential formats: verifying and presenting. Their libraries are loaded when they are first needed.
import type { Clock } from '../../platform/clock.ts';
import type { VerifyList } from '../status/index.ts';
import type { Trust } from '../trust/index.ts';
import type { CredentialFormat, Format, FormatName } from './format.ts';
import { FORMATS } from './table.ts';
import { isObject } from './w3c.ts';

export { coseKeyOf, isCoseKey } from './cose.ts';
export {
  type Binding,
  type CredentialFormat,
  type CredentialHolder,
  CredentialRejectedError,
  type ExpectedPresentation,
  type Format,
  type FormatName,
  type HolderChecks,
  type HolderSign,
  type PresentationContext,
  type QueryMeta,
  reject,
  type VerifiedCredential,
} from './format.ts';
export { isOneOfRoots } from './mdoc.ts';
export { FORMATS };

export const FORMAT_NAMES = Object.keys(FORMATS) as readonly FormatName[];

/** A format by any of its names; undefined if it is not known. */
export const formatNamed = (name: string): FormatName | undefined =>
  FORMAT_NAMES.find((one) => one === name || FORMATS[one].formerNames.includes(name));

/** Presentations of these are read here. */
export const READ_FORMATS = FORMAT_NAMES.filter((name) => FORMATS[name].readsPresentations);

/** `vp_formats_supported` of metadata. */
export const supportedFormats = (names: readonly FormatName[]): Record<string, CredentialFormat['supported']> =>
  Object.fromEntries(names.map((name) => [name, FORMATS[name].supported]));

export type Formats = Readonly<Record<FormatName, Format>>;

export const createFormats = (deps: { trust: Trust; clock: Clock }): Formats =>
  Object.fromEntries(FORMAT_NAMES.map((name) => [name, FORMATS[name].create(deps)])) as Formats;

/** Bitstring status lists are W3C credentials, in either form. */
export const listVerifier =
  (formats: Formats): VerifyList =>
  async (raw) => {
    const { issuer, claims, validUntil } = await formats[typeof raw === 'string' ? 'jwt_vc_json' : 'ldp_vc'].verify(raw);
    const [subject] = [claims.credentialSubject].flat();
    return { issuer: issuer.id, subject: isObject(subject) ? subject : {}, ...(validUntil === undefined ? {} : { validUntil }) };
  };
