// Puts credentials together: claims, status and binding, signed by the issuer.
import { jwtVcOf, sdJwtOf } from '../../verifiable/issuing/index.ts';
import { vctOf } from '../credential-types/index.ts';
import type { Recorded } from '../issued-credentials/index.ts';
import type { IssuerIdentity } from '../issuer/index.ts';
import type { CredentialConfiguration } from './configurations.ts';
import type { ProvenKey } from './proofs.ts';

/** What a person's credentials say of them beside their roles. */
export type ProfileClaims = Readonly<Record<string, unknown>>;

export interface CredentialContent {
  readonly configuration: CredentialConfiguration;
  readonly userId: string;
  readonly profile: ProfileClaims;
  readonly recorded: Recorded;
}

export function createCredentialMaker(identity: IssuerIdentity, isHaip: boolean) {
  /** Certificates name an https issuer. One without https, as on localhost, is known by its published keys, unless HAIP asks for certificates. */
  const signerOf = (issuer: string): 'x5c' | 'kid' => (isHaip || issuer.startsWith('https:') ? 'x5c' : 'kid');

  function sdJwt(
    { configuration, userId, profile, recorded }: CredentialContent,
    key: ProvenKey,
    index: number,
  ): Promise<string> {
    const { type, format } = configuration;
    const issuer = identity.id();
    const open = {
      iss: issuer,
      vct: vctOf(issuer, type),
      sub: userId,
      iat: recorded.issuedAt,
      nbf: recorded.issuedAt,
      exp: recorded.expiresAt,
      cnf: { jwk: key.jwk },
      status: { status_list: recorded.credentials[index]!.tokenStatus },
      roles: recorded.roles,
    };
    return sdJwtOf({ open, disclosable: profile }, (payload) => identity.sign(payload, { typ: format, by: signerOf(issuer) }));
  }

  function jwtVc(
    { configuration, userId, profile, recorded }: CredentialContent,
    key: ProvenKey,
    index: number,
  ): Promise<string> {
    const { type } = configuration;
    const did = identity.did();
    const { id, bitstring } = recorded.credentials[index]!;
    const { typ, payload } = jwtVcOf({
      dataModel: type.dataModel,
      id: `urn:gatehouse:credential:${id}`,
      issuer: did ?? identity.id(),
      // Verifiers of this format find the holder by the DID of the subject. Without one, the subject is the user.
      subject: key.did ?? `${identity.id()}/v3/users/${userId}`,
      types: [type.typeName],
      vocabulary: `${vctOf(identity.id(), type)}#`,
      claims: { roles: recorded.roles, ...profile },
      holder: key.jwk,
      issuedAt: recorded.issuedAt,
      expiresAt: recorded.expiresAt,
      status: bitstring,
    });
    return identity.sign(payload, { typ, by: did === undefined ? signerOf(identity.id()) : 'did' });
  }

  return {
    /** One for each key, in their order. */
    make: (content: CredentialContent, keys: readonly ProvenKey[]): Promise<string[]> =>
      Promise.all(
        keys.map((key, index) => (content.configuration.format === 'jwt_vc_json' ? jwtVc : sdJwt)(content, key, index)),
      ),
  };
}

export type CredentialMaker = ReturnType<typeof createCredentialMaker>;
