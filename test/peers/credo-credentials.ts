// The credentials of the Credo issuer.
export const VCT = 'urn:example:person';
export const MEMBER = 'MemberCredential';
export const DOCUMENT = 'org.iso.18013.5.1.mDL';

export const CLAIMS = { given_name: 'Ada', family_name: 'Lovelace', birth_date: '1815-12-10' };

const PROOFS = {
  cryptographic_binding_methods_supported: ['jwk', 'did:key', 'did:jwk', 'did:web'],
  proof_types_supported: { jwt: { proof_signing_alg_values_supported: ['ES256', 'EdDSA'] } },
};

export const CONFIGURATIONS = {
  person: {
    format: 'dc+sd-jwt' as const,
    vct: VCT,
    scope: 'person',
    credential_signing_alg_values_supported: ['ES256', 'EdDSA'],
    ...PROOFS,
    credential_metadata: {
      display: [{ name: 'Person', locale: 'en' }],
      claims: [{ path: ['given_name'] as [string], display: [{ name: 'Given name', locale: 'en' }] }],
    },
  },
  member: {
    format: 'jwt_vc_json' as const,
    credential_definition: { type: ['VerifiableCredential', MEMBER] as [string, string] },
    scope: 'member',
    credential_signing_alg_values_supported: ['ES256', 'EdDSA'],
    ...PROOFS,
    cryptographic_binding_methods_supported: ['did:key', 'did:jwk', 'did:web'],
  },
  licence: {
    format: 'mso_mdoc' as const,
    doctype: DOCUMENT,
    scope: 'licence',
    credential_signing_alg_values_supported: [-7],
    ...PROOFS,
    cryptographic_binding_methods_supported: ['jwk', 'cose_key'],
  },
};
