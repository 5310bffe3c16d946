// The terms of use, which people accept when they make an account: by registration, or with an invitation.
import type { Change } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { insertAcceptedTerms } from './terms.store.ts';

export interface Terms {
  readonly version: string;
  readonly url: string;
}

type TermsSettings = Pick<IdentityConfig, 'termsVersion' | 'termsUrl'>;

/** Undefined if there are none to accept. */
export const presentTerms = ({ termsVersion: version, termsUrl: url }: TermsSettings): Terms | undefined =>
  version && url ? { version, url } : undefined;

/** In the transaction that makes the account. `accepted`: the version that the page named. There may be another one since. */
export async function acceptTerms(
  { tx }: Change,
  config: TermsSettings,
  userId: string,
  accepted: string | undefined,
  at: number,
): Promise<Terms | undefined> {
  const terms = presentTerms(config);
  if (!terms) return undefined;
  if (accepted !== terms.version) fail('user.terms');
  await insertAcceptedTerms(tx, { user_id: userId, ...terms, accepted_at: at });
  return terms;
}
