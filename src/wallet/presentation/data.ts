// The data of an exchange with a verifier, and the dependencies of presentation.
import type { CallbackContext } from '@openid4vc/oauth2';
import type { Clock } from '../../platform/clock.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import type { Formats } from '../../verifiable/formats/index.ts';
import type { Trust } from '../../verifiable/trust/index.ts';
import type { RunWalletChange } from '../access/index.ts';
import type { StoredCredentials } from '../credentials/index.ts';
import type { Exchange, Exchanges } from '../exchanges/index.ts';
import { fail } from '../ground/faults.ts';
import type { PresentationAnswer, PresentationRequest, Verifier } from './presentation.schema.ts';
import type { CredentialSelection, Matcher, PresentationQuery } from './query.ts';
import type { FetchedRequestObject } from './request.ts';
import type { TransactionData } from './transaction-data.ts';
import type { VerifierRules } from './verifier.ts';
import type { VerifierFormats } from './vp-formats.ts';
import type { PresentationTarget } from './vp-token.ts';

export const PROTOCOL = 'oid4vp';

export interface PresentationDeps {
  readonly clock: Clock;
  readonly change: RunWalletChange;
  readonly outbound: Outbound;
  readonly exchanges: Exchanges;
  readonly storedCredentials: StoredCredentials;
  readonly formats: Formats;
  readonly matcher: Matcher;
  readonly trust: Trust;
  readonly callbacks: CallbackContext;
  readonly rules: VerifierRules & { readonly requirePreview: boolean; readonly transactionDataTypes: readonly string[] };
}

export interface PresentationData {
  readonly uri: string;
  /** The request object as it was fetched, so that the answered request is the previewed one. */
  readonly fetched?: FetchedRequestObject;
  readonly question: string;
  /** The user has seen the preview. Exchanges of earlier versions have it only in their steps. */
  readonly isPreviewed?: boolean;
  /** The final answer, for repeated requests with the same Idempotency-Key. */
  readonly answer?: PresentationAnswer;
}

export type PresentationExchange = Exchange<PresentationData>;

export const isPreviewed = ({ data, steps }: Pick<PresentationExchange, 'data' | 'steps'>): boolean =>
  data.isPreviewed ?? steps.some(({ step }) => step === 'preview shown');

/** The evaluated request, before credentials are selected. */
export interface EvaluatedRequest extends PresentationTarget {
  readonly verifier: Verifier;
  readonly query: PresentationQuery;
  readonly transactionData: TransactionData | undefined;
  readonly verifierFormats: VerifierFormats;
}

/** A consent names the credentials, so it is a selection, too. */
export function selectionOf({ credentialIds, selection, claimSets, consent }: PresentationRequest): CredentialSelection {
  if (!consent) return { all: credentialIds, by: selection, claimSets };
  if (credentialIds || selection) fail('invalid-request', { why: 'give consent or a selection of credentials, not both' });
  const by = new Map<string, string[]>();
  for (const { queryId, credentialId } of consent) by.set(queryId, [...(by.get(queryId) ?? []), credentialId]);
  return { by: Object.fromEntries(by), claimSets };
}
