// What an exchange with a verifier needs to go on, and what its steps work with.
import type { CallbackContext } from '@openid4vc/oauth2';
import type { Clock } from '../../platform/clock.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import type { RunChange } from '../access/index.ts';
import type { HeldCredentials } from '../credentials/index.ts';
import type { Exchange, Exchanges } from '../exchanges/index.ts';
import type { Formats } from '../formats/index.ts';
import type { Trust } from '../trust/index.ts';
import type { PresentationAnswer, PresentationRequest, Verifier } from './presentation.schema.ts';
import type { Matching, Query } from './query.ts';
import type { Fetched } from './request.ts';
import type { TransactionData } from './transaction-data.ts';
import type { VerifierRules } from './verifier.ts';
import type { Understood } from './vp-formats.ts';
import type { Asking } from './vp-token.ts';

export const PROTOCOL = 'oid4vp';

export interface PresentationDeps {
  readonly clock: Clock;
  readonly change: RunChange;
  readonly outbound: Outbound;
  readonly exchanges: Exchanges;
  readonly heldCredentials: HeldCredentials;
  readonly formats: Formats;
  readonly matching: Matching;
  readonly trust: Trust;
  readonly callbacks: CallbackContext;
  readonly rules: VerifierRules & { readonly requirePreview: boolean; readonly transactionDataTypes: readonly string[] };
}

export interface PresentationData {
  readonly uri: string;
  /** What the verifier gave when it was asked: what is answered is what was previewed. */
  readonly fetched?: Fetched;
  readonly question: string;
  /** The person saw what would be shown. Exchanges that a former version began have it in their log only. */
  readonly isPreviewed?: boolean;
  /** What the caller was told at the end, for whoever asks again with the same Idempotency-Key. */
  readonly answer?: PresentationAnswer;
}

export type Running = Exchange<PresentationData>;

export const isPreviewed = ({ data, steps }: Pick<Running, 'data' | 'steps'>): boolean =>
  data.isPreviewed ?? steps.some(({ step }) => step === 'preview shown');

/** Everything that is known before anything is chosen. */
export interface Asked extends Asking {
  readonly verifier: Verifier;
  readonly query: Query;
  readonly transactionData: TransactionData | undefined;
  readonly understood: Understood;
}

export const selectionOf = ({ credentialIds, selection }: PresentationRequest) => ({ all: credentialIds, by: selection });
