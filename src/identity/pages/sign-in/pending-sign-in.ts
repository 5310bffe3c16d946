// What a sign-in stores between its steps.
import type { PartialLogin } from '../../login/tokens/index.ts';
import type { NewFactorState } from './factor-steps.ts';
import type { BrowserSignInResult } from './sign-in.ts';

/** The result of the steps so far, stored in the interaction until the next. */
export interface PendingSignIn extends PartialLogin {
  readonly at: number;
  /** Nothing is missing, but the application asked for more. */
  readonly complete: boolean;
  /** Everything was proved: the person only has to accept the terms of use. */
  readonly isProved?: boolean | undefined;
  /** When the person signed in, if it was before this interaction, or before they read the terms. */
  readonly since?: number | undefined;
  /** They go on with a session. */
  readonly isEarlier?: boolean | undefined;
  /** The session at another provider that it began with. */
  readonly providerSession?: string | undefined;
  /** The credential of ours that was shown. */
  readonly credential?: BrowserSignInResult['credential'];
  readonly passkey?: BrowserSignInResult['passkey'];
  /** The second factor that they turn on, since they must have one. */
  readonly newFactor?: NewFactorState | undefined;
}

/** What a step of an earlier one is kept for. */
export type EarlierStep = Pick<PendingSignIn, 'since' | 'isEarlier' | 'providerSession' | 'credential' | 'passkey'>;

export type SignedIn = Omit<BrowserSignInResult, 'complete' | 'device'> &
  EarlierStep & { readonly isProved?: boolean | undefined };
