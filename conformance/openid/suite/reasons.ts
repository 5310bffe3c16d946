// Why a module does not simply pass: what it needs and we do not do on purpose, or where the suite differs from the text. With its specification.
import type { Outcome } from './api.ts';

type Reasons = Partial<Record<Outcome, string>>;

const dynamic: Reasons = {
  SKIPPED: 'needs dynamic registration, which this variant does not have; `plans.test.ts` checks the same',
};
const noScope: Reasons = { SKIPPED: 'there is no such scope: OpenID Connect Core 1.0, 5.4, offers them as optional' };
const seen: Reasons = { REVIEW: 'a person looked at the screenshots that the driver made' };

/** By the module. A result that is not here has to be explained, or mended. */
export const REASONS: Readonly<Record<string, Reasons>> = {
  'oidcc-idtoken-signature': dynamic,
  'oidcc-idtoken-unsigned': dynamic,
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': dynamic,
  'oidcc-scope-address': noScope,
  'oidcc-scope-phone': noScope,
  'oidcc-scope-all': noScope,
  'oidcc-response-type-missing': seen,
  'oidcc-prompt-login': seen,
  'oidcc-max-age-1': seen,
  'oidcc-ensure-registered-redirect-uri': seen,
  'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri': seen,
  'oidcc-rp-initiated-logout-modified-id-token-hint': seen,
  'oidcc-rp-initiated-logout-no-id-token-hint': seen,
  'oidcc-rp-initiated-logout-no-params': seen,
  'oidcc-rp-initiated-logout-no-post-logout-redirect-uri': seen,
  'oidcc-rp-initiated-logout-only-state': seen,
  'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri': seen,
  'oidcc-rp-initiated-logout-bad-id-token-hint': seen,
};
