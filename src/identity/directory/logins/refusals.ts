// Why logins were refused, in a few words for the metrics. The texts are for the log, and may change; these may not.
import { Fault } from '../../ground/faults.ts';

const WORDS = {
  wrong_password: ['password wrong', 'password change: user deleted'],
  locked_out: ['password locked'],
  disabled: ['user or domain disabled', 'the user is not in the directory any more'],
  expired_password: ['password expired'],
  wrong_second_factor: [
    'verification code wrong',
    'passcode wrong',
    'passcode without the password',
    'recovery code wrong',
    'security answer wrong',
    'totp wrong',
  ],
  wrong_device: ['device unknown or stolen'],
  wrong_passkey: ['passkey wrong'],
  wrong_wallet: ['wallet wrong'],
  passkey_required: ['administrators of this domain sign in with a passkey'],
  provider: [
    'mapped wrong',
    'identity_provider.no_entry',
    'identity_provider.refused',
    'no valid token of a provider whose tokens are accepted',
    'a second factor or a passkey is required beside the provider',
  ],
  wrong_token: [
    'token.not_found',
    'receipt unknown, ended or of someone else',
    'access token unknown, ended or without the scope all_info',
    'an application for an administrator',
  ],
  wrong_application_credential: ['application credential unknown, or its secret wrong'],
  wrong_oauth1: ['oauth1.refused', 'access token of OAuth1 unknown or ended', 'a request of OAuth1 was sent before'],
  wrong_trust: [
    'trust unknown, ended or used up',
    'trust.not_trustee',
    'trust.gives_nothing',
    'a trust is for its trustee in person',
  ],
  wrong_signature: [
    'access key unknown',
    'signature wrong',
    'the key was replaced meanwhile',
    'the time that was signed is missing, or too far from now',
  ],
  no_access: ['no such project', 'no such domain', 'user or scope disabled, or no role there'],
  too_many_guesses: ['too many guesses', 'request.too_many'],
  busy: ['server.busy'],
  unavailable: ['server.unavailable', 'identity_provider.unavailable'],
  abandoned: ['request.abandoned'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type RefusalWord = keyof typeof WORDS | 'other' | 'error';
export const REFUSAL_WORDS = [...Object.keys(WORDS), 'other', 'error'] as readonly RefusalWord[];

const words = new Map<string, RefusalWord>(
  Object.entries(WORDS).flatMap(([word, texts]) => texts.map((text): [string, RefusalWord] => [text, word as RefusalWord])),
);

/** `error`: something failed that is no refusal. */
export const refusalWord = (error: unknown): RefusalWord =>
  error instanceof Fault ? (words.get(error.reason ?? '') ?? words.get(error.code) ?? 'other') : 'error';
