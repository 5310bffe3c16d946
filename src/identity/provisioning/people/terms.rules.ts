// The terms of use. People accept them when they make an account, by registration or with an invitation; and, where the service asks for
// it, at the first sign-in in a browser after the terms changed.
import { seconds } from '../../../platform/clock.ts';
import type { Change } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { hasAccepted, insertAcceptedTerms } from './terms.store.ts';

export interface Terms {
  readonly version: string;
  readonly url: string;
}

type TermsSettings = Pick<IdentityConfig, 'termsVersion' | 'termsUrl'>;

/** Undefined if there are none to accept. */
export const presentTerms = ({ termsVersion: version, termsUrl: url }: TermsSettings): Terms | undefined =>
  version && url ? { version, url } : undefined;

/** `accepted`: the version that the page named. There may be another one since. */
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

/** For people who have an account already. */
export function createTermsAtSignIn({ db, clock, change, config }: Pick<Deps, 'db' | 'clock' | 'change' | 'config'>) {
  return {
    /** What the person has to accept before they are signed in. */
    async missing(userId: string): Promise<Terms | undefined> {
      const terms = config.termsAtSignIn ? presentTerms(config) : undefined;
      return terms && !(await hasAccepted(db.read, userId, terms.version)) ? terms : undefined;
    },

    /** Fails with `user.terms` if the version is not that of now. */
    async accept(by: { readonly userId: string; readonly requestId: string }, version: string): Promise<void> {
      const { userId: id } = by;
      await change(by, async (transaction) => {
        const gone = () => fail('user.not_found', { id });
        const terms = await failOnBrokenReference(gone, () => acceptTerms(transaction, config, id, version, seconds(clock)));
        if (terms) transaction.audit('user.terms_accepted', { kind: 'user', id }, { version: terms.version });
      });
    },
  };
}

export type TermsAtSignIn = ReturnType<typeof createTermsAtSignIn>;
