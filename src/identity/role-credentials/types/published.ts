// What is published about the types: the metadata of each, and the entry of the issuer in a registry of trusted issuers.
import { createHash } from 'node:crypto';
import { ISSUED_FORMATS } from '../../../verifiable/issuing/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import type { IssuerIdentity } from '../issuer/index.ts';
import { applicationsOf, type ClaimName, type CredentialType, claimNames, issuedTypeOf, vctOf } from './credential-type.ts';
import type { CredentialTypes } from './credential-types.ts';

const display = (language: string, name: string, description?: string) => [
  { locale: language, name, ...(description ? { description } : {}) },
];

/** Of a claim, which has a label where a type has a name. */
const label = (claim: ClaimName) => claimNames(claim).map(([language, text]) => ({ locale: language, label: text }));

/** SD-JWT VC, type metadata. Roles are always disclosed, and the holder decides about the rest. */
export function typeMetadataOf(issuer: string, type: CredentialType, language: string) {
  const { name, description } = type;
  const always = (path: readonly (string | null)[], claim: ClaimName) => ({ path, sd: 'never', display: label(claim) });
  return {
    vct: vctOf(issuer, type),
    name,
    ...(description === '' ? {} : { description }),
    display: display(language, name, description),
    claims: [
      always(['roles'], 'roles'),
      always(['roles', null, 'target'], 'target'),
      always(['roles', null, 'application'], 'application'),
      always(['roles', null, 'names'], 'names'),
      ...type.claims.map((claim) => ({ path: [claim], sd: 'always', display: label(claim) })),
    ],
  };
}

interface AllowedClaims {
  readonly credentialsType: string;
  readonly claims: readonly { readonly name: string; readonly path: string; readonly allowedValues: readonly string[] }[];
}

/** An attribute as verifiers of FIWARE read it: the type of a credential, and the values that its claims may have. */
function attributeOf(did: string, content: AllowedClaims) {
  const body = Buffer.from(JSON.stringify(content));
  return {
    hash: createHash('sha256').update(body).digest('hex'),
    body: body.toString('base64'),
    // Nobody but itself accredits this issuer.
    issuerType: 'Undefined',
    tao: did,
    rootTao: did,
  };
}

/**
 * The entry in the form of EBSI's registry, version 4. Each type in a credential needs an attribute, also the one that all have; several of one type
 * are alternatives. A type is for roles in its own applications only.
 */
export function trustedIssuerOf(
  did: string,
  { issuer, types, targetNames }: { issuer: string; types: readonly CredentialType[]; targetNames: ReadonlyMap<string, string> },
) {
  const contents = types.flatMap((type): AllowedClaims[] => {
    const allowedValues = applicationsOf(type).map((id) => targetNames.get(id) ?? id);
    const claims = [{ name: 'roles', path: '$.roles[*].target', allowedValues }];
    const names = type.formats.flatMap((format) => ISSUED_FORMATS[format].registryName(issuedTypeOf(issuer, type)) ?? []);
    return [...new Set(names)].sort().map((credentialsType) => ({ credentialsType, claims }));
  });
  const everyType: AllowedClaims = { credentialsType: 'VerifiableCredential', claims: [] };
  return { did, attributes: [everyType, ...contents].map((content) => attributeOf(did, content)) };
}

export type TrustedIssuer = ReturnType<typeof trustedIssuerOf>;

export function createPublishedTypes({
  db,
  issuerIdentity,
  credentialTypes,
  language,
}: Pick<Deps, 'db'> & {
  readonly issuerIdentity: IssuerIdentity;
  readonly credentialTypes: CredentialTypes;
  /** In which names and descriptions are written. */
  language(): string;
}) {
  return {
    /** Undefined if there is no such type. Those that are disabled are still described: credentials of theirs name the address. */
    async metadata(id: string) {
      const type = await credentialTypes.find(id);
      return type && typeMetadataOf(issuerIdentity.id(), type, language());
    },

    /** Undefined for everybody but this issuer. */
    async trustedIssuer(did: string): Promise<TrustedIssuer | undefined> {
      if (did !== issuerIdentity.did()) return undefined;
      const types = await credentialTypes.list({ enabled: true });
      const targetNames = await credentialTypes.targetNames(db.read, [...new Set(types.flatMap(applicationsOf))]);
      return trustedIssuerOf(did, { issuer: issuerIdentity.id(), types, targetNames });
    },
  };
}

export type PublishedTypes = ReturnType<typeof createPublishedTypes>;
