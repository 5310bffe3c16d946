// The formats and algorithms a verifier supports (`vp_formats_supported`; OID4VP, 11.1 and appendix B). Other credentials are not
// shown to it.

import { FORMATS, type FormatName, type Formats, formatNamed } from '../../verifiable/formats/index.ts';
import type { CredentialCandidate, StoredCredentials } from '../credentials/index.ts';
import type { VerifierRequest } from './request.ts';

/** Names of the same algorithm in JOSE and COSE, including the fully specified ones (RFC 9864). */
const NAMES: readonly (readonly (string | number)[])[] = [
  ['ES256', -7, -9],
  ['ES384', -35, -51],
  ['ES512', -36, -52],
  ['EdDSA', 'Ed25519', -8, -19],
];

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
      const names = [format, ...FORMATS[format].formerNames];
      const name = names.find((one) => Object.hasOwn(supported ?? {}, one));
      return name === undefined ? undefined : supported?.[name];
    };

    return {
      names(queried) {
        const format = formatNamed(queried);
        return format !== undefined && (supported === undefined || listedFor(format) !== undefined);
      },
      async reads(candidate, bound) {
        if (supported === undefined) return true;
        const { format } = candidate;
        const listed = listedFor(format);
        if (!listed) return false;
        const { algorithmLists, isSupportedBy, listedName } = FORMATS[format];
        if (!isSupportedBy(listed)) return false;
        const { issuer, holder } = algorithmLists;
        if (listed[issuer] === undefined && listed[holder] === undefined) return true;
        const { raw, algorithm } = await storedCredentials.peekCopy(candidate);
        const signsWith = algorithm === undefined ? undefined : listedName(algorithm);
        return (
          isListed(listed[issuer], await formats[format].issuerAlgorithm(raw)) && (!bound || isListed(listed[holder], signsWith))
        );
      },
    };
  };
