// What an exchange with a verifier needs to go on, and what its steps work with.
import type { CallbackContext } from '@openid4vc/oauth2';
import type { Clock } from '../../platform/clock.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import type { RunWalletChange } from '../access/index.ts';
import type { StoredCredentials } from '../credentials/index.ts';
import type { Exchange, Exchanges } from '../exchanges/index.ts';
import type { Formats } from '../formats/index.ts';
import type { Trust } from '../trust/index.ts';
import type { PresentationAnswer, PresentationRequest, Verifier } from './presentation.schema.ts';
import type { Matcher, PresentationQuery } from './query.ts';
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
  /** What the verifier gave when it was asked: what is answered is what was previewed. */
  readonly fetched?: FetchedRequestObject;
  readonly question: string;
  /** The person saw what would be shown. Exchanges that a former version began have it in their log only. */
  readonly isPreviewed?: boolean;
  /** What the caller was told at the end, for whoever asks again with the same Idempotency-Key. */
  readonly answer?: PresentationAnswer;
}

export type PresentationExchange = Exchange<PresentationData>;

export const isPreviewed = ({ data, steps }: Pick<PresentationExchange, 'data' | 'steps'>): boolean =>
  data.isPreviewed ?? steps.some(({ step }) => step === 'preview shown');

/** Everything that is known before anything is chosen. */
export interface EvaluatedRequest extends PresentationTarget {
  readonly verifier: Verifier;
  readonly query: PresentationQuery;
  readonly transactionData: TransactionData | undefined;
  readonly verifierFormats: VerifierFormats;
}

export const selectionOf = ({ credentialIds, selection }: PresentationRequest) => ({ all: credentialIds, by: selection });
