// A message, and the interface of what sends it.
import type { Mailbox } from './address.ts';

export interface Message {
  /** The same for every attempt, so that mail programs show a message once that arrived twice. */
  readonly id: string;
  readonly from: Mailbox;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly language: string;
  /** When it was written, in milliseconds. It may be sent much later. */
  readonly at: number;
}

export interface Transport {
  /** Where mail goes, for the start message. */
  readonly about: string;
  /** Throws MailError if it was not accepted. `stopping` ends the attempt, unless the message is already being transferred. */
  send(message: Message, stopping?: AbortSignal): Promise<void>;
  /** Removes old files, and returns how many. */
  sweep(): number;
}

/** Its text contains no address and no part of the message, so that it can be logged. */
export class MailError extends Error {
  /** The message will never be accepted: do not try again. */
  readonly isFinal: boolean;
  /** The server accepts no message at the moment: do not try others now. */
  readonly isAway: boolean;

  constructor(text: string, { isFinal = false, isAway = false }: { isFinal?: boolean; isAway?: boolean } = {}) {
    super(text);
    this.isFinal = isFinal;
    this.isAway = isAway;
  }
}
