// The metadata of the credential issuer (OID4VCI, 12.2).
import { ISSUED_FORMATS } from '../../../verifiable/issuing/index.ts';
import type { Assets } from '../../ground/look/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import type { IssuerIdentity } from '../issuer/index.ts';
import { type ClaimName, claimNames, issuedTypeOf } from '../types/index.ts';
import { type Configurations, type CredentialConfiguration, scopeOf } from './configurations.ts';
import { ENCODINGS, KEY_ALGORITHMS, type RequestEncryption } from './encryption.ts';
import type { KeyAttestations } from './key-attestations.ts';
import { CREDENTIAL, NONCE, NOTIFICATION } from './paths.ts';
import { PROOF_ALGORITHMS } from './proofs.ts';

/** A larger logo is named by its address, which not every wallet fetches: the metadata are read often. */
const MAX_LOGO = 24 * 1024;

/** How long a signed form is good. */
const SIGNED_SECONDS = 3600;

/** Which proofs of keys are taken (12.2.4, appendix F). Attested ones only where somebody is trusted to attest. */
function proofTypes({ isKnown, requirement }: KeyAttestations): Readonly<Record<string, unknown>> {
  const required = requirement();
  const proof = {
    proof_signing_alg_values_supported: [...PROOF_ALGORITHMS],
    ...(required === undefined ? {} : { key_attestations_required: required }),
  };
  return { jwt: proof, ...(isKnown ? { attestation: proof } : {}) };
}

/** The name and the logo of the pages, for wallets. */
function issuerDisplay({ brand, at }: Assets, issuer: string) {
  const { name, logo: path } = brand;
  const asset = path === undefined ? undefined : at(path);
  if (path === undefined || asset === undefined) return { name };
  const { type, bytes } = asset;
  const uri = bytes.length > MAX_LOGO ? new URL(path, issuer).href : `data:${type};base64,${bytes.toString('base64')}`;
  return { name, logo: { uri, alt_text: name } };
}

/** Cards in wallets have the colour of the pages. */
const cardColors = ({ accent }: Assets['brand']) =>
  accent === undefined ? {} : { background_color: accent.color, text_color: accent.ink };

interface Described {
  readonly issuer: string;
  readonly attestations: KeyAttestations;
  readonly assets: Assets;
}

function describe(
  { issuer, attestations, assets }: Described,
  { type, format }: CredentialConfiguration,
): Readonly<Record<string, unknown>> {
  const { bindingMethods, signingAlgorithms, typeMetadata, claimPath } = ISSUED_FORMATS[format];
  const issued = issuedTypeOf(issuer, type);
  const claim = (name: ClaimName, mandatory: boolean) => ({
    path: claimPath(name, issued),
    mandatory,
    display: claimNames(name).map(([locale, text]) => ({ name: text, locale })),
  });
  const description = type.description === '' ? {} : { description: type.description };
  const display = [{ name: type.name, ...description, ...cardColors(assets.brand) }];
  return {
    format,
    scope: scopeOf(type.id),
    cryptographic_binding_methods_supported: bindingMethods,
    credential_signing_alg_values_supported: signingAlgorithms,
    proof_types_supported: proofTypes(attestations),
    ...typeMetadata(issued),
    credential_metadata: {
      display,
      claims: [claim('roles', true), ...type.claims.map((name) => claim(name, false))],
    },
  };
}

export interface MetadataDeps {
  readonly configurations: Configurations;
  readonly encryption: RequestEncryption;
  readonly identity: Pick<IssuerIdentity, 'sign'>;
  readonly config: Pick<IdentityConfig, 'credentialBatchSize'>;
  readonly assets: Assets;
  readonly attestations: KeyAttestations;
  issuer(): string;
  /** In seconds. */
  now(): number;
}

export function createIssuerMetadata(deps: MetadataDeps) {
  const { configurations, encryption, identity, config, now } = deps;

  async function read(): Promise<Readonly<Record<string, unknown>>> {
    const issuer = deps.issuer();
    const all = await configurations.all();
    return {
      credential_issuer: issuer,
      credential_endpoint: `${issuer}${CREDENTIAL}`,
      nonce_endpoint: `${issuer}${NONCE}`,
      notification_endpoint: `${issuer}${NOTIFICATION}`,
      // One is not a batch.
      ...(config.credentialBatchSize > 1 ? { batch_credential_issuance: { batch_size: config.credentialBatchSize } } : {}),
      credential_request_encryption: {
        jwks: { keys: [await encryption.publicKey()] },
        enc_values_supported: [...ENCODINGS],
        encryption_required: false,
      },
      credential_response_encryption: {
        alg_values_supported: [...KEY_ALGORITHMS],
        enc_values_supported: [...ENCODINGS],
        encryption_required: false,
      },
      display: [issuerDisplay(deps.assets, issuer)],
      credential_configurations_supported: Object.fromEntries(all.map((one) => [one.id, describe({ ...deps, issuer }, one)])),
    };
  }

  return {
    read,
    /** As `application/jwt` (12.2.3). */
    async signed(): Promise<string> {
      const metadata = await read();
      const times = { iat: now(), exp: now() + SIGNED_SECONDS };
      return identity.sign({ ...metadata, sub: deps.issuer(), ...times }, { typ: 'openidvci-issuer-metadata+jwt', by: 'x5c' });
    },
  };
}

export type IssuerMetadata = ReturnType<typeof createIssuerMetadata>;
