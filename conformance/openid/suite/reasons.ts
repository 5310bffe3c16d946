// Why a module does not simply pass: what it needs and we do not do on purpose, or where the suite differs from the text. With its specification.
import type { Outcome } from './api.ts';

type Reasons = Partial<Record<Outcome, string>>;

const dynamic: Reasons = {
  SKIPPED: 'needs dynamic registration, which this variant does not have; `plans.test.ts` checks the same',
};
const noScope: Reasons = { SKIPPED: 'there is no such scope: OpenID Connect Core 1.0, 5.4, offers them as optional' };
const toSee: Reasons = {
  REVIEW: 'a person looks at the screenshot, which the driver has given to the suite, before a certificate is asked for',
};

/** By the module. A result that is not here has to be explained, or mended. */
export const REASONS: Readonly<Record<string, Reasons>> = {
  'oidcc-idtoken-signature': dynamic,
  'oidcc-idtoken-unsigned': dynamic,
  'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported': dynamic,
  'oidcc-scope-address': noScope,
  'oidcc-scope-phone': noScope,
  'oidcc-scope-all': noScope,
  'oidcc-response-type-missing': toSee,
  'oidcc-prompt-login': toSee,
  'oidcc-max-age-1': toSee,
  'oidcc-ensure-registered-redirect-uri': toSee,
  'oidcc-rp-initiated-logout-bad-post-logout-redirect-uri': toSee,
  'oidcc-rp-initiated-logout-modified-id-token-hint': toSee,
  'oidcc-rp-initiated-logout-no-id-token-hint': toSee,
  'oidcc-rp-initiated-logout-no-params': toSee,
  'oidcc-rp-initiated-logout-no-post-logout-redirect-uri': toSee,
  'oidcc-rp-initiated-logout-only-state': toSee,
  'oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri': toSee,
  'oidcc-rp-initiated-logout-bad-id-token-hint': toSee,
};
