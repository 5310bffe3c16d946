// The terms of use. People accept them when they make an account, by registration or with an invitation; and, where the service asks for
// it, at the first sign-in in a browser after the terms changed.
import { seconds } from '../../../platform/clock.ts';
import type { DomainSettings, DomainSettingsOf } from '../../directory/domain-settings/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { hasAccepted, insertAcceptedTerms } from './terms.store.ts';

export interface Terms {
  readonly version: string;
  readonly url: string;
}

/**
 * Undefined if there are none to accept. The version is that of the service, also where a domain has its own page; a domain without one
 * has that of the service, so that no domain is without terms.
 */
export function presentTerms(
  { termsVersion: version, termsUrl }: Pick<IdentityConfig, 'termsVersion' | 'termsUrl'>,
  { look }: Pick<DomainSettings, 'look'>,
): Terms | undefined {
  const url = look.termsUrl || termsUrl;
  return version && url ? { version, url } : undefined;
}

/** `accepted`: the version that the page named. There may be another one since. */
export async function acceptTerms(
  { tx }: Change,
  terms: Terms | undefined,
  userId: string,
  accepted: string | undefined,
  at: number,
): Promise<Terms | undefined> {
  if (!terms) return undefined;
  if (accepted !== terms.version) fail('user.terms');
  await insertAcceptedTerms(tx, { user_id: userId, ...terms, accepted_at: at });
  return terms;
}

/** For people who have an account already. */
export function createTermsAtSignIn({
  db,
  clock,
  change,
  config,
  domainSettings,
}: Pick<Deps, 'db' | 'clock' | 'change' | 'config'> & { readonly domainSettings: Pick<DomainSettingsOf, 'ofUser'> }) {
  const termsFor = async (userId: string, reader: Reader): Promise<Terms | undefined> =>
    presentTerms(config, await domainSettings.ofUser(userId, reader));

  return {
    /** What the person has to accept before they are signed in. */
    async missing(userId: string): Promise<Terms | undefined> {
      const terms = config.termsAtSignIn ? await termsFor(userId, db.read) : undefined;
      return terms && !(await hasAccepted(db.read, userId, terms.version)) ? terms : undefined;
    },

    /** Fails with `user.terms` if the version is not that of now. */
    async accept(by: { readonly userId: string; readonly requestId: string }, version: string): Promise<void> {
      const { userId: id } = by;
      await change(by, async (transaction) => {
        const gone = () => fail('user.not_found', { id });
        const present = await termsFor(id, transaction.tx);
        const terms = await failOnBrokenReference(gone, () => acceptTerms(transaction, present, id, version, seconds(clock)));
        if (terms) transaction.audit('user.terms_accepted', { kind: 'user', id }, { version: terms.version });
      });
    },
  };
}

export type TermsAtSignIn = ReturnType<typeof createTermsAtSignIn>;
