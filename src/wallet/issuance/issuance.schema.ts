// The JSON of POST /api/v1/wallet/oid4vci: one body for all steps. The `status` in the answer tells the steps apart.
import { type Schema, type Static, t } from '../../platform/http/index.ts';
import { ClaimLabel, Credential, Display, LocalName } from '../credentials/index.ts';

const Id = t.string({ maxLength: 40 });

export const IssuanceRequest = t.object(
  {},
  {
    uri: t.string({ minLength: 1, maxLength: 32_768, description: 'The credential offer, as a link from the issuer.' }),
    offer: t.open(
      { credential_issuer: t.string({ maxLength: 2000 }) },
      {},
      { description: 'The credential offer, as an object.' },
    ),
    txCode: t.string({ minLength: 1, maxLength: 200 }),
    keyId: Id,
    didId: t.string({ maxLength: 2000 }),
    credentialConfigurationIds: t.array(t.string({ maxLength: 500 }), { minItems: 1, maxItems: 20, uniqueItems: true }),
    count: t.integer({ minimum: 1, maximum: 100 }),
    preview: t.boolean(),
    exchangeId: Id,
    authorizationResponse: t.string({ maxLength: 8000, description: 'The full address the issuer redirected the browser to.' }),
  },
  { examples: [{ uri: 'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fissuer.example%2Foffers%2F1' }] },
);
export type IssuanceRequest = Static<typeof IssuanceRequest>;

const TxCode = t.object({ inputMode: t.string() }, { length: t.integer(), description: t.string() });
export const PROOFS = ['certificate', 'did', 'beside', 'https', 'none'] as const;
export type IssuerProof = (typeof PROOFS)[number];
const Issuer = t.object(
  {
    id: t.string(),
    names: t.array(LocalName, { description: 'What the issuer calls itself, by language.' }),
    proof: {
      ...t.oneOf(...PROOFS),
      description:
        'How the issuer proved who it is: its metadata are signed with a certificate or by a DID, come from the identity service that runs with this node or from its https address, or none of these.',
    } as Schema<IssuerProof>,
  },
  { name: t.string() },
);
const Offered = t.object(
  {
    configurationId: t.string(),
    format: t.string(),
    supported: t.boolean(),
    displays: t.array(Display),
    labels: t.array(ClaimLabel, { description: 'The claims that the issuer announces.' }),
  },
  { type: t.string(), display: t.unknown({ description: 'The first display entry of the issuer, as it is.' }) },
);
export type OfferedCredential = Static<typeof Offered>;

export const IssuedCredentials = t.object({
  status: t.oneOf('issued'),
  exchangeId: t.string(),
  credentials: t.array(Credential),
});
export const Deferred = t.object({ status: t.oneOf('deferred'), exchangeId: t.string(), retryAfter: t.integer() });
/** A preview, or the next action of the caller. */
export const NextStep = t.object(
  { status: t.oneOf('preview', 'authorization_required'), exchangeId: t.string() },
  {
    issuer: Issuer,
    offered: t.array(Offered),
    txCode: TxCode,
    grant: t.string(),
    authorizationUrl: t.string(),
    expiresAt: t.string({ format: 'date-time' }),
  },
);

export type IssuanceAnswer =
  | (Static<typeof IssuedCredentials> & { retryAfter?: never })
  | Static<typeof Deferred>
  | Static<typeof NextStep>;

t.name({
  IssuanceRequest,
  TxCode,
  Issuer,
  OfferedCredential: Offered,
  IssuedCredentials,
  DeferredIssuance: Deferred,
  NextIssuanceStep: NextStep,
});
