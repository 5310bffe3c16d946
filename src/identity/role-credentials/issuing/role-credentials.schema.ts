// The JSON of the credential issuer (OID4VCI 1.0), and of offers.
import { t } from '../../../platform/http/index.ts';

const text = (description: string) => t.string({ description });

export const CredentialIssuerMetadata = t.open({
  credential_issuer: t.string(),
  credential_endpoint: t.string(),
  nonce_endpoint: t.string(),
  credential_configurations_supported: t.record(t.open({ format: t.string() })),
});

export const NonceReply = t.object({ c_nonce: t.string() });

/** Only for the document: the handler reads the body itself, to refuse it with the errors of OID4VCI. */
export const CredentialRequestBody = t.open(
  {},
  {
    credential_configuration_id: text('A configuration of the metadata. Not if the token response had credential identifiers.'),
    credential_identifier: text('A credential identifier of the token response.'),
    proofs: t.object(
      {},
      {
        jwt: t.array(t.string(), {
          description: 'Key proofs (openid4vci-proof+jwt): one for each copy, or one with a key attestation in its header.',
        }),
        attestation: t.array(t.string(), {
          description: 'One key attestation (key-attestation+jwt): a copy for each of its keys.',
        }),
      },
    ),
    credential_response_encryption: t.open({}, { jwk: t.open({}), enc: t.string() }),
  },
);
export const CredentialReply = t.open({
  credentials: t.array(t.object({ credential: t.string() })),
  notification_id: t.string(),
});

export const NotificationBody = t.open(
  { notification_id: t.string(), event: t.oneOf('credential_accepted', 'credential_failure', 'credential_deleted') },
  { event_description: t.string() },
);

export const FetchedOffer = t.open({
  credential_issuer: t.string(),
  credential_configuration_ids: t.array(t.string()),
  grants: t.record(t.open({})),
});

const configurationIds = t.array(t.string({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 20, uniqueItems: true });
const grant = t.oneOf('pre-authorized_code', 'authorization_code');

const NewOffer = t.object(
  { credential_configuration_ids: configurationIds },
  {
    grant,
    tx_code: t.boolean({ description: 'Whether the wallet has to send a code that is shown only here. True by default.' }),
  },
);
export const NewOfferEnvelope = t.object({ offer: NewOffer });

const Offer = t.object({
  uri: text('The link for a wallet, also as a QR code.'),
  credential_configuration_ids: t.array(t.string()),
  grant,
  tx_code: t.nullable(text('What the person types into the wallet. It is shown once.')),
  expires_at: t.string(),
});
export const OfferEnvelope = t.object({ offer: Offer });

const AvailableCredential = t.object({
  type_id: t.string(),
  name: t.string(),
  description: t.string(),
  credential_configuration_ids: t.array(t.string()),
});
export const AvailableCredentialList = t.open({ types: t.array(AvailableCredential) });

t.name({
  CredentialIssuerMetadata,
  CredentialNonce: NonceReply,
  CredentialRequest: CredentialRequestBody,
  CredentialReply,
  CredentialNotification: NotificationBody,
  FetchedCredentialOffer: FetchedOffer,
  NewCredentialOffer: NewOffer,
  NewCredentialOfferEnvelope: NewOfferEnvelope,
  CredentialOffer: Offer,
  CredentialOfferEnvelope: OfferEnvelope,
  AvailableCredential,
  AvailableCredentialList,
});
