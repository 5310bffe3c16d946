// The JSON of POST /api/v1/wallet/oid4vp.
import { type Static, t } from '../../platform/http/index.ts';

const CredentialId = t.string({ maxLength: 40 });

const Path = t.array(t.unknown());
const PresentedCredential = t.object({ queryId: t.string(), credentialId: t.string(), disclosed: t.array(Path) });

export const PresentationRequest = t.object(
  {},
  {
    uri: t.string({ minLength: 1, maxLength: 65_536, description: 'The request, as a link from the verifier.' }),
    credentialIds: t.array(CredentialId, { minItems: 1, maxItems: 50, uniqueItems: true }),
    selection: t.record(t.array(CredentialId, { minItems: 1, maxItems: 50, uniqueItems: true })),
    claimSets: t.record(t.integer({ minimum: 0, maximum: 99 }), {
      description: 'Which of the claim sets of a query is shown, by query id; by default the first that is possible.',
    }),
    consent: t.array(PresentedCredential, {
      minItems: 1,
      maxItems: 200,
      description: 'What the user agreed to show, from the preview. If anything else would be shown, nothing is sent.',
    }),
    preview: t.boolean(),
    action: t.oneOf('submit', 'reject'),
    exchangeId: CredentialId,
  },
  {
    examples: [
      { uri: 'openid4vp://?client_id=x509_san_dns%3Averifier.example&request_uri=https%3A%2F%2Fverifier.example%2Frequests%2F1' },
    ],
  },
);
export type PresentationRequest = Static<typeof PresentationRequest>;

export const VerifierSchema = t.object(
  {
    clientId: t.string(),
    prefix: t.string(),
    authenticated: t.boolean(),
    trust: t.oneOf('anchor', 'did', 'attestation', 'registered', 'none'),
  },
  {
    name: t.string({ description: 'What the verifier calls itself.' }),
    certificate: t.object(
      { subject: t.string(), issuer: t.string(), validUntil: t.string({ format: 'date-time' }) },
      {},
      { description: 'The certificate that signed the request.' },
    ),
  },
);
export type Verifier = Static<typeof VerifierSchema>;

const Match = t.object(
  { credentialId: t.string(), disclosed: t.array(Path, { description: 'All claims that would be shown.' }) },
  {
    claimSets: t.array(t.object({ index: t.integer(), disclosed: t.array(Path) }), {
      description: 'The claim sets that the credential can answer, in the order the verifier prefers.',
    }),
  },
);
const QuerySet = t.object(
  { options: t.array(t.array(t.string())), required: t.boolean() },
  { purpose: t.string({ description: 'Why the verifier asks, in its own words.' }) },
);

export const PresentationReply = t.object(
  { status: t.oneOf('submitted', 'preview', 'rejected'), exchangeId: t.string(), verifier: VerifierSchema },
  {
    presented: t.array(PresentedCredential),
    redirectUri: t.string(),
    responseMode: t.string(),
    query: t.array(
      t.object({
        id: t.string(),
        format: t.string(),
        supported: t.boolean({
          description: 'Whether the wallet knows the format. Nothing matches a query whose format it does not know.',
        }),
        required: t.boolean(),
        claims: t.array(Path),
        matches: t.array(Match),
      }),
    ),
    sets: t.array(QuerySet, { description: 'Which queries are alternatives. Without it, all queries are to be answered.' }),
    selected: t.array(t.string(), { description: 'The queries that are answered if nothing is selected.' }),
    responseUri: t.string({ description: 'Where the answer would be sent.' }),
    policyUri: t.string({ description: 'The privacy policy that the verifier names.' }),
    transactionData: t.array(t.unknown()),
    satisfiable: t.boolean(),
  },
);
export type PresentationAnswer = Static<typeof PresentationReply>;

t.name({
  PresentedCredential,
  PresentationRequest,
  Verifier: VerifierSchema,
  QueryMatch: Match,
  QuerySet,
  PresentationReply,
});
