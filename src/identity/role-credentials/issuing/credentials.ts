// Puts credentials together: claims, status and binding, signed by the issuer.
import { ISSUED_FORMATS } from '../../../verifiable/issuing/index.ts';
import type { IssuanceRecord } from '../issued/index.ts';
import type { IssuerIdentity } from '../issuer/index.ts';
import { issuedTypeOf } from '../types/index.ts';
import type { CredentialConfiguration } from './configurations.ts';
import type { ProvenKey } from './proofs.ts';

/** What a person's credentials say of them beside their roles. */
export type ProfileClaims = Readonly<Record<string, unknown>>;

export interface CredentialContent {
  readonly configuration: CredentialConfiguration;
  readonly userId: string;
  readonly profile: ProfileClaims;
  readonly recorded: IssuanceRecord;
}

export function createCredentialMaker(identity: IssuerIdentity, isHaip: boolean) {
  /** Certificates name an https issuer. One without https, as on localhost, is known by its published keys, unless HAIP asks for certificates. */
  const namedBy = (url: string): 'x5c' | 'kid' => (isHaip || url.startsWith('https:') ? 'x5c' : 'kid');

  return {
    /** One for each key, in their order. */
    make({ configuration, userId, profile, recorded }: CredentialContent, keys: readonly ProvenKey[]): Promise<string[]> {
      const { type, format } = configuration;
      const { roles, issuedAt, expiresAt, credentials } = recorded;
      const url = identity.id();
      const signer = { url, did: identity.did(), namedBy: namedBy(url), sign: identity.sign, signBytes: identity.signBytes };
      const user = type.subject === 'user' ? { id: userId, address: `${url}/v3/users/${userId}` } : undefined;
      const common = {
        type: issuedTypeOf(url, type),
        user,
        roles,
        profile,
        issuedAt,
        expiresAt,
      };
      return Promise.all(
        keys.map((holder, index) => {
          const { id, tokenStatus: token, bitstring } = credentials[index]!;
          const draft = { ...common, id: `urn:gatehouse:credential:${id}`, holder, status: { token, bitstring } };
          return ISSUED_FORMATS[format].make(draft, signer);
        }),
      );
    },
  };
}

export type CredentialMaker = ReturnType<typeof createCredentialMaker>;
