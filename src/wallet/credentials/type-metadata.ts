// Type metadata of SD-JWT VC: the address that names the type of a credential may describe it, in the issuer's words. Read once, when the
// credential arrives, and only from the issuer itself: nobody else learns that it was issued.
import { createHash } from 'node:crypto';
import type { Outbound } from '../../platform/outbound/index.ts';
import type { VerifiedCredential } from '../../verifiable/formats/index.ts';
import { isUnsafeJson } from '../../verifiable/jose/index.ts';
import { completed, type Description, descriptionOf } from './display.ts';

const TIMEOUT_MS = 4000;
const MAX_BYTES = 256 * 1024;
/** From the strongest down: of several digests the strongest counts. */
const HASHES = ['sha512', 'sha384', 'sha256'] as const;

type Unknown = Readonly<Record<string, unknown>>;
const objectIn = (value: unknown): Unknown => (typeof value === 'object' && value !== null ? (value as Unknown) : {});
const listIn = (value: unknown): Unknown[] => (Array.isArray(value) ? value.slice(0, 500).map(objectIn) : []);
/** Later drafts call it `locale`, earlier ones `lang`. */
const localeIn = ({ locale, lang }: Unknown): { locale: unknown } => ({ locale: locale ?? lang });

/** As credential issuers write the same. */
function asConfiguration({ name, description, display, claims }: Unknown): Unknown {
  const displays = listIn(display).map((one) => {
    const { logo, background_color, text_color } = objectIn(objectIn(one.rendering).simple);
    return { name: one.name, description: one.description, ...localeIn(one), logo, background_color, text_color };
  });
  return {
    credential_metadata: {
      display: displays.length > 0 ? displays : [{ name, description }],
      claims: listIn(claims).map((one) => ({
        path: one.path,
        mandatory: one.mandatory,
        display: listIn(one.display).map((label) => ({ name: label.label, ...localeIn(label) })),
      })),
    },
  };
}

const originOf = (address: string): string | undefined => URL.parse(address)?.origin;

/** Where the type is described, if its issuer describes it. */
export function addressOf({ type, claims, issuer }: VerifiedCredential, credentialIssuer: string): string | undefined {
  // Other formats name their types otherwise.
  if (claims.vct !== type || !/^https?:\/\//.test(type)) return undefined;
  return [issuer.id, credentialIssuer].some((one) => originOf(one) === originOf(type)) ? type : undefined;
}

/** Whether it is what the issuer signed, if the credential says so (`vct#integrity`). */
function isAsSigned(body: Buffer, integrity: unknown): boolean {
  if (integrity === undefined) return true;
  const digests = String(integrity).split(/\s+/);
  const hash = HASHES.find((one) => digests.some((digest) => digest.startsWith(`${one}-`)));
  return hash !== undefined && digests.includes(`${hash}-${createHash(hash).update(body).digest('base64')}`);
}

/** Something in it has no name that people can read. */
const isSilent = ({ displays, labels }: Description): boolean =>
  !displays.some(({ name }) => name !== undefined) || labels.length === 0 || labels.some(({ names }) => names === undefined);

async function read(outbound: Outbound, address: string, integrity: unknown): Promise<Description | undefined> {
  const { status, body } = await outbound({
    method: 'GET',
    url: address,
    accept: ['application/json'],
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    kind: 'type-metadata',
  });
  if (status !== 200 || !isAsSigned(body, integrity)) return undefined;
  const metadata: unknown = JSON.parse(body.toString());
  if (isUnsafeJson(metadata) || objectIn(metadata).vct !== address) return undefined;
  return descriptionOf(asConfiguration(objectIn(metadata)));
}

/** How the issuer describes a credential: in its own metadata and, where they are silent, in those of the type. A type that cannot be read is no fault. */
export async function describeCredential(
  outbound: Outbound,
  configuration: Unknown,
  credential: VerifiedCredential,
  credentialIssuer: string,
): Promise<Description> {
  const own = descriptionOf(configuration);
  const address = isSilent(own) ? addressOf(credential, credentialIssuer) : undefined;
  if (address === undefined) return own;
  const described = await read(outbound, address, credential.claims['vct#integrity']).catch(() => undefined);
  return described ? completed(own, described) : own;
}
