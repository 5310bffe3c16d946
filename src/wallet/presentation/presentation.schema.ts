// The JSON of POST /api/v1/wallet/oid4vp.
import { type Static, t } from '../../platform/http/index.ts';

const CredentialId = t.string({ maxLength: 40 });

export const PresentationRequest = t.object(
  {},
  {
    uri: t.string({ minLength: 1, maxLength: 65_536, description: 'The request, as a link from the verifier.' }),
    credentialIds: t.array(CredentialId, { minItems: 1, maxItems: 50, uniqueItems: true }),
    selection: t.record(t.array(CredentialId, { minItems: 1, maxItems: 50, uniqueItems: true })),
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
  { name: t.string() },
);
export type Verifier = Static<typeof VerifierSchema>;

const Path = t.array(t.unknown());
const Match = t.object({ credentialId: t.string(), disclosed: t.array(Path) });

export const PresentationReply = t.object(
  { status: t.oneOf('submitted', 'preview', 'rejected'), exchangeId: t.string(), verifier: VerifierSchema },
  {
    presented: t.array(t.object({ queryId: t.string(), credentialId: t.string(), disclosed: t.array(Path) })),
    redirectUri: t.string(),
    responseMode: t.string(),
    query: t.array(
      t.object({ id: t.string(), format: t.string(), required: t.boolean(), claims: t.array(Path), matches: t.array(Match) }),
    ),
    transactionData: t.array(t.unknown()),
    satisfiable: t.boolean(),
  },
);
export type PresentationAnswer = Static<typeof PresentationReply>;
