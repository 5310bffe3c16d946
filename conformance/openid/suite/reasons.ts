// Why a module does not simply pass: what it needs and we do not do on purpose, or where the suite differs from the text. With its specification.
import type { Outcome } from './api.ts';

type Reasons = Partial<Record<Outcome, string>>;

const dynamic: Reasons = {
  SKIPPED:
    'needs dynamic registration, which this variant does not have; the plan of dynamic registration runs it, and `plans.test.ts` checks the same',
};
const noScope: Reasons = { SKIPPED: 'there is no such scope: OpenID Connect Core 1.0, 5.4, offers them as optional' };
const unsigned: Reasons = {
  SKIPPED:
    'request objects must be signed here, and the metadata offer no `none`: RFC 9101, 10.1, and OpenID Connect Core 1.0, 6.1, leave unsigned ones to the provider',
};
/** What the screenshot shows, which the driver gave to the suite: somebody looked at it. */
const shows = (what: string): Reasons => ({ REVIEW: `the screenshot, which was looked at, shows ${what}` });
const signInAgain = shows('the page to sign in at, for the second time');
const errorPage = shows('our page "This did not work" with the error; the browser stays there');
const signedOut = shows('our page "You are signed out"; the browser stays there');

const shownCredential = shows('our page "Your first time here" with the name that the credential has');

const noImplicit =
  'the profile asks for the implicit flow, which is left out on purpose: RFC 9700, 2.1.2, and our ADR 031. The certificate cannot be had, whatever else passes';
const noFetchedRequest: Reasons = Object.fromEntries(
  (['FAILED', 'INTERRUPTED'] as const).map((result) => [
    result,
    'the service never fetches a request from an address that a browser brings (RFC 9101, 10.4: requests on behalf of strangers); `request_uri` is for pushed requests only, as the metadata say (OpenID Connect Discovery 1.0, 3)',
  ]),
);
const keysByValue: Reasons = {
  INTERRUPTED:
    'whoever registers themselves registers keys by value (`jwks`): nothing is fetched that a stranger names. `jwks_uri` is OPTIONAL in OpenID Connect Dynamic Client Registration 1.0, 2; administrators register it',
};
const notShown = (field: string): Reasons => ({
  REVIEW: `the screenshot, which was looked at, shows the page to sign in at without \`${field}\`: what a stranger says of themselves is not on it. OpenID Connect Dynamic Client Registration 1.0, 2, has it as SHOULD`,
});

const notAnswered = shows('the page of the wallet that says "This request cannot be answered" and that nothing was shared');
/** Without a request to fetch, too. */
const neverAsked = (more: Reasons): Reasons => ({
  ...more,
  'NOT APPLICABLE':
    'with `url_query`: the suite asks for the screenshot of the refusal when the wallet fetches the request (`continueAfterRequestUriCalled`), and here there is none to fetch, so the module never ends. The same module is run with a request that is fetched',
});
/** By its plans, with the module of the same name for SD-JWT VC, which ends otherwise. */
const suitesDocument: Reasons = {
  FAILED:
    'with mobile documents: the suite signs them with a certificate of its own that is an authority, whose key is for signing certificates and lists only (`CA:TRUE`, `keyCertSign`, `cRLSign`), which we refuse: RFC 5280, 4.2.1.3, wants `digitalSignature` for other signatures, and ISO/IEC 18013-5:2021, B.1.4, the certificate of a document signer. What it is told to sign with is not used (a comment in its `TestAppUtils` says that this is to come)',
};
const notEncrypted: Reasons = {
  SKIPPED:
    'in the variant with encryption: the issuer offers it and does not require it, and the wallet encrypts where it is required (OpenID4VCI 1.0, 8.2: MAY, and MUST where `encryption_required` is true)',
};
const noLogoutState: Reasons = {
  SKIPPED:
    'the wallet node sends no `state` when people log out, and expects none: it is OPTIONAL (OpenID Connect RP-Initiated Logout 1.0, 2)',
};

const statusList: Reasons = {
  FAILED:
    'the suite looks for the key of the status list in a `jwk` header or in the keys of the authorization server only (`VerifyStatusListTokenSignatureUsingEmbeddedJwk`, its way without HAIP); ours has its certificates in `x5c`, as HAIP 1.0, 6.1, wants it, and the same modules pass under HAIP. Token Status List, 11.3, mandates no way to find the key, and recommends the `x5c` of the credential where the issuer of both is the same',
};
/** With a pre-authorized code, which does not come by the endpoint for pushed requests. With an authorization code the same modules pass. */
const ISSUER_REFUSES = 'oid4vci-1_0-issuer-test-plan/oid4vci-1_0-issuer-fail-';
const refusedLater: Readonly<Record<string, Reasons>> = {
  [`${ISSUER_REFUSES}invalid-client-attestation-signature`]: {
    FAILED:
      'with a pre-authorized code: the service refuses the attestation at the token endpoint, and the suite goes on after the module has ended ("a bug in the test module", it says itself). With an authorization code it passes',
  },
  ...Object.fromEntries(
    [
      'invalid-client-attestation-pop-signature',
      'client-attestation-exp-in-past',
      'client-attestation-no-sub',
      'client-attestation-pop-wrong-aud',
    ].map((what) => [
      ISSUER_REFUSES + what,
      {
        INTERRUPTED:
          'with a pre-authorized code: the module looks for the refusal at the endpoint for pushed requests, where such a code does not come by. The service refuses the attestation at the token endpoint, which the suite takes for wrong. With an authorization code it passes',
      },
    ]),
  ),
};

/** Those that get a credential, and look at its status. */
const withStatus = (...modules: readonly string[]): Readonly<Record<string, Reasons>> =>
  Object.fromEntries(modules.map((module) => [`oid4vci-1_0-issuer-test-plan/oid4vci-1_0-issuer-${module}`, statusList]));

/** By the module, or by the plan and the module. A result that is not here has to be explained, or mended. */
export const REASONS: Readonly<Record<string, Reasons>> = {
  'oidcc-idtoken-signature': dynamic,
  'oidcc-idtoken-unsigned': { SKIPPED: '`none` is not offered; the suite accepts that' },
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': dynamic,
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': unsigned,
  'oidcc-ensure-request-object-with-redirect-uri': unsigned,
  'oidcc-scope-profile': {
    WARNING:
      'an account here has no website, gender or birthdate, and a claim without a value is left out: OpenID Connect Core 1.0, 5.3.2. They are not in `claims_supported`',
  },
  'oidcc-scope-address': noScope,
  'oidcc-scope-phone': noScope,
  'oidcc-scope-all': noScope,
  'oidcc-response-type-missing': errorPage,
  'oidcc-prompt-login': signInAgain,
  'oidcc-max-age-1': signInAgain,
  'oidcc-ensure-registered-redirect-uri': errorPage,
  'oidcc-ensure-redirect-uri-in-authorization-request': errorPage,
  'oidcc-redirect-uri-query-mismatch': errorPage,
  'oidcc-redirect-uri-query-added': errorPage,
  'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri': errorPage,
  'oidcc-rp-initiated-logout-modified-id-token-hint': errorPage,
  'oidcc-rp-initiated-logout-no-id-token-hint': signedOut,
  'oidcc-rp-initiated-logout-no-params': signedOut,
  'oidcc-rp-initiated-logout-no-post-logout-redirect-uri': signedOut,
  'oidcc-rp-initiated-logout-only-state': signedOut,
  'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri': errorPage,
  'oidcc-rp-initiated-logout-bad-id-token-hint': errorPage,

  'oidcc-dynamic-certification-test-plan/oidcc-discovery-endpoint-verification': { FAILED: noImplicit },
  'oidcc-dynamic-certification-test-plan/oidcc-userinfo-rs256': {
    INTERRUPTED:
      'signed user information is not offered, and not announced: OpenID Connect Core 1.0, 5.3.2, leaves it to the provider',
  },
  'oidcc-registration-logo-uri': notShown('logo_uri'),
  'oidcc-registration-policy-uri': notShown('policy_uri'),
  'oidcc-registration-tos-uri': notShown('tos_uri'),
  'oidcc-registration-jwks-uri': keysByValue,
  'oidcc-refresh-token-rp-key-rotation': keysByValue,
  'oidcc-registration-sector-uri': {
    SKIPPED: '`sub` is the same for all applications (`subject_types_supported` is `public`); the suite accepts that',
  },
  'oidcc-registration-sector-bad': {
    SKIPPED: '`sub` is the same for all applications (`subject_types_supported` is `public`); the suite accepts that',
  },
  'oidcc-dynamic-certification-test-plan/oidcc-server-rotate-keys': {
    FAILED:
      'the suite does not know the type of our Ed25519 key ("unknown key type \'OKP\'"): RFC 8037, 2, defines it, and RFC 7517, 5, says that implementations SHOULD ignore keys of types that they do not understand. The suite itself lets a service be certified when this module fails (`certification-package-failed-tests-exception-list` of its settings)',
  },
  'oidcc-request-uri-unsigned': noFetchedRequest,
  'oidcc-request-uri-signed-rs256': noFetchedRequest,

  'oidcc-client-test-idtoken-sig-none': {
    SKIPPED:
      'an ID token without a signature is refused, and the suite accepts that: OpenID Connect Core 1.0, 2, leaves `none` to both sides',
  },

  'oid4vci-1_0-issuer-test-plan/oid4vci-1_0-issuer-fail-unsupported-encryption-algorithm': {
    SKIPPED: 'the variant is the one without encryption; the plan under HAIP runs it with encryption, and it passes',
  },
  ...refusedLater,
  ...withStatus(
    'happy-flow',
    'happy-flow-additional-requests',
    'happy-flow-multiple-clients',
    'happy-flow-skip-notification',
    'batch-issuance',
    'fail-on-access-token-in-query',
  ),
  'oid4vp-1final-wallet-test-plan/oid4vp-1final-wallet-alternate-happy-flow': {
    INTERRUPTED:
      'the suite fails by itself in the mode `direct_post`: it replaces a step about encryption, which this mode does not have',
  },
  'oid4vp-1final-wallet-negative-test-response-uri-not-client-id': {
    'NOT APPLICABLE':
      'with a certificate or a DID: `@VariantNotApplicable` of the module names these prefixes, and the suite lists it all the same (OpenID4VP 1.0, 5.9.3, lets a wallet allow a verifier that it trusts to choose the address). With `redirect_uri` and `url_query` it never ends: the suite asks for the screenshot of the refusal when the wallet fetches a request, and there is none',
  },
  'oid4vp-1final-wallet-multisigned-one-invalid-signature': {
    'NOT APPLICABLE':
      'a module for the Digital Credentials API only (`@VariantNotApplicable` of the module names the other ways of a request), which the suite lists all the same; a wallet node has no such API',
  },
  'oid4vp-1final-wallet-negative-test-invalid-request-object-signature': notAnswered,
  'oid4vp-1final-wallet-negative-test-mismatched-client-id': notAnswered,
  'oid4vp-1final-wallet-negative-test-redirect-uri-with-direct-post': neverAsked(notAnswered),
  'oid4vp-1final-wallet-negative-test-required-non-matching-credential': shows(
    'the page of the wallet after the person refused what they do not have ("You refused. The verifier was told."); the verifier is told `access_denied`',
  ),
  'oid4vp-1final-wallet-negative-test-missing-nonce': neverAsked(notAnswered),
  'oid4vp-1final-wallet-negative-test-unknown-transaction-data-type': {
    INTERRUPTED:
      'the wallet answers with `invalid_transaction_data` at the address for answers, and shows nothing of a credential; the suite wants no answer. OpenID4VP 1.0, 5.1: "The Wallet MUST return an error if a request contains even one unrecognized transaction data type"; 8.5 has this error',
  },
  'oid4vp-1final-wallet-negative-test-invalid-client-id-prefix': notAnswered,
  'oid4vci-1_0-wallet-test-credential-issuance': notEncrypted,
  'oid4vci-1_0-wallet-test-credential-issuance-notification': notEncrypted,
  'oid4vci-1_0-wallet-test-client-attestation-challenge': notEncrypted,
  'oid4vci-1_0-wallet-test-batch-credential-issuance': notEncrypted,

  'oidcc-client-test-rp-init-logout-other-state': noLogoutState,
  'oidcc-client-test-rp-init-logout-no-state': noLogoutState,

  'oid4vp-1final-verifier-happy-flow': { ...shownCredential, ...suitesDocument },
  'oid4vp-1final-verifier-minimal-cnf-jwk': shownCredential,
  'oid4vp-1final-verifier-request-uri-method-post': {
    ...shownCredential,
    ...suitesDocument,
    SKIPPED:
      'without HAIP the service does not ask for it (`request_uri_method` is OPTIONAL: OpenID4VP 1.0, 5.1); the plan under HAIP runs it',
  },
  'oid4vp-1final-verifier-request-uri-fetched-twice': { ...shownCredential, ...suitesDocument },

  'fapi2-security-profile-final-ensure-registered-redirect-uri': errorPage,
  'fapi2-security-profile-final-ensure-unsigned-authorization-request-without-using-par-fails': errorPage,
};
