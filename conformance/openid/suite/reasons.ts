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
      'the suite does not know the type of our Ed25519 key ("unknown key type \'OKP\'"): RFC 8037, 2, defines it, and RFC 7517, 5, says that keys of unknown types are to be ignored',
  },
  'oidcc-request-uri-unsigned': noFetchedRequest,
  'oidcc-request-uri-signed-rs256': noFetchedRequest,

  'oid4vp-1final-verifier-happy-flow': shownCredential,
  'oid4vp-1final-verifier-minimal-cnf-jwk': shownCredential,
  'oid4vp-1final-verifier-request-uri-method-post': shownCredential,
  'oid4vp-1final-verifier-request-uri-fetched-twice': shownCredential,

  'fapi2-security-profile-final-ensure-registered-redirect-uri': errorPage,
  'fapi2-security-profile-final-ensure-unsigned-authorization-request-without-using-par-fails': errorPage,
};
