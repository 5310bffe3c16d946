// The formats and algorithms a verifier supports (`vp_formats_supported`; OID4VP, 11.1 and appendix B). Other credentials are not
// shown to it.

import type { FormatName, Formats } from '../../verifiable/formats/index.ts';
import type { CredentialCandidate, StoredCredentials } from '../credentials/index.ts';
import type { VerifierRequest } from './request.ts';

/** Our formats by their name in queries. Drafts use another name for SD-JWT. */
export const QUERY_FORMATS: Readonly<Record<string, FormatName>> = {
  'dc+sd-jwt': 'dc+sd-jwt',
  'vc+sd-jwt': 'dc+sd-jwt',
  jwt_vc_json: 'jwt_vc_json',
  mso_mdoc: 'mso_mdoc',
  ldp_vc: 'ldp_vc',
};

/** The members that list the algorithms of issuers and holders. */
const LISTS: Readonly<Record<FormatName, { readonly issuer: string; readonly holder: string }>> = {
  'dc+sd-jwt': { issuer: 'sd-jwt_alg_values', holder: 'kb-jwt_alg_values' },
  jwt_vc_json: { issuer: 'alg_values', holder: 'alg_values' },
  mso_mdoc: { issuer: 'issuerauth_alg_values', holder: 'deviceauth_alg_values' },
  ldp_vc: { issuer: 'cryptosuite_values', holder: 'cryptosuite_values' },
};

/** Names of the same algorithm in JOSE and COSE, including the fully specified ones (RFC 9864). */
const NAMES: readonly (readonly (string | number)[])[] = [
  ['ES256', -7, -9],
  ['ES384', -35, -51],
  ['ES512', -36, -52],
  ['EdDSA', 'Ed25519', -8, -19],
];
const SUITES: Readonly<Record<string, string>> = { ES256: 'ecdsa-rdfc-2019', ES384: 'ecdsa-rdfc-2019', EdDSA: 'eddsa-rdfc-2022' };

/** The formats a verifier supports. */
export interface VerifierFormats {
  /** Whether the verifier supports this format, independent of the content of the wallet. */
  names(queried: string): boolean;
  /** Whether it supports the algorithms of this credential, including the holder's if it is `bound`. */
  reads(candidate: CredentialCandidate, bound: boolean): Promise<boolean>;
}

type AlgorithmLists = Readonly<Record<string, unknown>>;

function isListed(list: unknown, algorithm: string | number | undefined): boolean {
  // Without a list all algorithms are accepted.
  if (!Array.isArray(list)) return true;
  if (algorithm === undefined) return false;
  const names = NAMES.find((all) => all.includes(algorithm)) ?? [algorithm];
  return names.some((name) => list.includes(name));
}

export const createVerifierFormats =
  ({ formats, storedCredentials }: { formats: Formats; storedCredentials: StoredCredentials }) =>
  ({ clientMetadata }: Pick<VerifierRequest, 'clientMetadata'>): VerifierFormats => {
    const supported = clientMetadata.vp_formats_supported as Readonly<Record<string, AlgorithmLists>> | undefined;
    const listedFor = (format: FormatName): AlgorithmLists | undefined => {
      const name = Object.keys(QUERY_FORMATS).find((one) => QUERY_FORMATS[one] === format && Object.hasOwn(supported ?? {}, one));
      return name === undefined ? undefined : supported?.[name];
    };

    return {
      names(queried) {
        const format = Object.hasOwn(QUERY_FORMATS, queried) ? QUERY_FORMATS[queried] : undefined;
        return format !== undefined && (supported === undefined || listedFor(format) !== undefined);
      },
      async reads(candidate, bound) {
        if (supported === undefined) return true;
        const { format } = candidate;
        const listed = listedFor(format);
        if (!listed) return false;
        if (format === 'ldp_vc' && !isListed(listed.proof_type_values, 'DataIntegrityProof')) return false;
        const { issuer, holder } = LISTS[format];
        if (listed[issuer] === undefined && listed[holder] === undefined) return true;
        const { raw, algorithm } = await storedCredentials.peekCopy(candidate);
        const signsWith = format === 'ldp_vc' && algorithm !== undefined ? SUITES[algorithm] : algorithm;
        return (
          isListed(listed[issuer], await formats[format].issuerAlgorithm(raw)) && (!bound || isListed(listed[holder], signsWith))
        );
      },
    };
  };
