// All errors of the wallet node, with status and text. Clients rely on the code. The part after a slash only tells apart
// entries that share a code.
import { faultsOf, platformFaults } from '../../platform/faults/index.ts';

export const walletFaults = {
  ...platformFaults,
  'invalid-request': { status: 400, text: '{why}.' },
  'invalid-logout-token': { status: 400, text: 'The logout token is not valid: {why}.' },
  'login-state-mismatch': {
    status: 400,
    text: 'This login was not started in this browser, took too long, or was already finished.',
  },
  'not-authenticated': { status: 401, text: 'Log in first: GET /api/v1/auth/login.' },
  'login-refused': { status: 401, text: 'The identity provider did not confirm the login.' },
  forbidden: { status: 403, text: 'This is not allowed: {why}.' },
  csrf: {
    status: 403,
    text: 'A request with a session cookie must come from a page of this service: its Origin, or Sec-Fetch-Site, must say so.',
  },
  'not-found': { status: 404, text: 'There is no such {kind}.' },
  'key-exists': { status: 409, text: 'This wallet has this key already, or had it before.' },
  'alias-taken': { status: 409, text: 'Another {kind} has the alias {alias}.' },
  'key-not-active': { status: 409, text: 'The key {id} is {state}; only an active key can be rotated.' },
  'key-in-use': { status: 409, text: 'The key is used by DIDs or credentials; revoke it first, or send ?force=true.' },
  'last-key-of-published-did': {
    status: 409,
    text: 'It is the last active key of a published DID; name a successor, or send ?force=true.',
  },
  'quota-exceeded': { status: 409, text: 'This wallet has reached its limit of {most} {what}.' },
  'did-exists': { status: 409, text: 'The DID {did} exists, or its name was used before.' },
  'did-published': { status: 409, text: 'The DID is published; unpublish it first.' },
  'did-in-use': { status: 409, text: 'Credentials are bound to the DID; send ?force=true to delete it anyway.' },
  'not-published': { status: 409, text: 'The DID was never published.' },
  'no-active-key': { status: 409, text: 'The DID has no active key.' },
  'idempotency-key-reused': { status: 409, text: 'This Idempotency-Key was already used with another request.' },
  'idempotent-result-gone': {
    status: 409,
    text: 'What the first request with this Idempotency-Key created does not exist any more.',
  },
  'unsupported-algorithm': { status: 422, text: '{algorithm} is not supported{why}.' },
  'unsupported-storage': { status: 422, text: 'Keys cannot be {what} in {storage} here.' },
  'invalid-key': { status: 422, text: 'The private key cannot be used: {why}.' },
  'key-not-active/named': { status: 422, text: 'The key {id} is not an active key of this wallet.' },
  'unsupported-did-method': { status: 422, text: 'The DID method {method} is not supported{why}.' },
  'domain-not-hosted': { status: 422, text: 'This node hosts DIDs of {host} only.' },
  'not-publishable': { status: 422, text: 'DIDs of the method {method} are not published: they resolve by themselves.' },
  'blocked-address': { status: 403, text: 'The node may not call an address that {who} gave.' },
  'exchange-finished': { status: 409, text: 'This exchange is finished: {state}.' },
  'exchange-busy': { status: 409, text: 'Another request is working on this exchange. Try again shortly.' },
  'exchange-expired': { status: 410, text: 'This exchange has expired.' },
  'invalid-offer': { status: 422, text: 'The offer cannot be used: {why}.' },
  'offer-spent': { status: 422, text: 'The issuer no longer accepts the code of this offer.' },
  'tx-code-required': { status: 422, text: 'The issuer asks for a transaction code, which it sent you separately.' },
  'tx-code-rejected': { status: 422, text: 'The issuer does not accept this transaction code.' },
  'authorization-refused': { status: 422, text: 'The issuer did not authorize the wallet.' },
  'untrusted-issuer': { status: 422, text: 'The issuer is not trusted: {why}.' },
  'unsupported-format': { status: 422, text: 'No offered credential has a format and type this wallet supports.' },
  'unsupported-proof-type': { status: 422, text: 'The issuer requires a proof type this wallet does not support: {why}.' },
  'unsupported-encryption-required': {
    status: 422,
    text: 'The issuer requires encryption this wallet does not support: {why}.',
  },
  'credential-rejected': { status: 422, text: 'The credential from the issuer was rejected: {why}.' },
  'issuance-denied': { status: 422, text: 'The issuer refused to issue this credential.' },
  'no-matching-credential': { status: 422, text: 'No credential in this wallet matches the request{why}.' },
  'selection-does-not-match': { status: 422, text: 'The selection cannot be used: {why}.' },
  'untrusted-verifier': { status: 422, text: 'The verifier is not trusted: {why}.' },
  'unsupported-transaction-data': { status: 422, text: 'The transaction data cannot be confirmed: {why}.' },
  'invalid-presentation-request': { status: 422, text: 'The request of the verifier cannot be answered: {why}.' },
  'preview-outdated': {
    status: 409,
    text: 'The content has changed since the last preview. Ask for a preview again.',
  },
  'preview-required': { status: 409, text: 'Ask for a preview first.' },
  'request-already-answered': { status: 409, text: 'This request was already answered.' },
  'verifier-refused': { status: 502, text: 'The verifier did not accept the answer (status {status}).' },
  'upstream-error': { status: 502, text: 'The {who} sent an error or an unusable answer: {why}.' },
  'upstream-timeout': { status: 504, text: 'The {who} did not answer in time.' },
  'too-many-at-once': {
    status: 429,
    text: 'Keys of this type take long to generate, and some of yours are still being generated. Try again shortly.',
  },
  'key-store-unavailable': { status: 503, text: 'The device that holds the key does not answer. Try again shortly.' },
  'not-ready': { status: 503, text: 'The service is not ready. Try again shortly.' },
  'identity-provider-unavailable': { status: 503, text: 'The identity provider cannot be reached. Try again shortly.' },
} as const;

const wallet = faultsOf(walletFaults);
export const fault = wallet.fault;
/** The annotation lets TypeScript know that code after a call is unreachable. */
export const fail: typeof wallet.fail = wallet.fail;
