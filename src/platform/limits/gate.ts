// The one gate every guess at a secret goes through: counted by address, and by account and address, before it is looked at.
import type { Clock } from '../clock.ts';
import { Fault } from '../faults/index.ts';
import { addressKey } from './address.ts';
import { Throttle, type ThrottleRule } from './throttle.ts';

/** Where a guess comes from. */
export interface AttemptOrigin {
  readonly address: string;
  /** Aborted when the connection is gone: nobody waits for the answer. */
  readonly signal?: AbortSignal | undefined;
  /** A device the account remembers, once that is proved: counted by itself, wherever it is. */
  readonly device?: string | undefined;
}

export interface GateRules {
  /** Wrong guesses at one account from one address. */
  readonly account: ThrottleRule;
  /** Wrong guesses from one address. */
  readonly address: ThrottleRule;
}

export class Gate {
  readonly #address: Throttle;
  readonly #account: Throttle;
  /** Apart from those of people: who types wrong passwords at an application's form must not use up what the application has. */
  readonly #secretsOfOwner: Throttle;
  readonly #secretsOfAddress: Throttle;

  /** `undefined` limits nothing. */
  constructor(rules: GateRules | undefined, clock: Clock) {
    this.#address = new Throttle(rules?.address, clock);
    this.#account = new Throttle(rules?.account, clock);
    this.#secretsOfOwner = new Throttle(rules?.account, clock);
    this.#secretsOfAddress = new Throttle(rules?.address, clock);
  }

  /** For whoever has to wait before the secret is looked at: what would be refused then need not wait. */
  check(attempt: AttemptOrigin, account: string): void {
    this.#address.check(addressKey(attempt.address));
    this.#account.check(attemptKey(attempt, account));
  }

  /** Counts one that was asked about with `check` before, and turned out wrong. */
  wrong(attempt: AttemptOrigin, account: string): void {
    const [address, pair] = [addressKey(attempt.address), attemptKey(attempt, account)];
    if (this.#address.has(address)) this.#address.take(address);
    if (this.#account.has(pair)) this.#account.take(pair);
  }

  /**
   * For secrets that are long and random, which no number of guesses at once finds: counted when they are known to be wrong, so
   * that any number of right ones may come at once. By owner and address; by address alone where nobody says whose it is.
   */
  checkSecret(attempt: AttemptOrigin, owner: string | undefined): void {
    const [throttle, key] = this.#secretOf(attempt, owner);
    throttle.check(key);
  }

  wrongSecret(attempt: AttemptOrigin, owner: string | undefined): void {
    const [throttle, key] = this.#secretOf(attempt, owner);
    if (throttle.has(key)) throttle.take(key);
  }

  #secretOf(attempt: AttemptOrigin, owner: string | undefined): [throttle: Throttle, key: string] {
    return owner === undefined
      ? [this.#secretsOfAddress, addressKey(attempt.address)]
      : [this.#secretsOfOwner, attemptKey(attempt, owner)];
  }

  /**
   * Looks at the secret, unless there were too many wrong guesses. `account` names whose secret it is; where there is no such
   * account, what was typed. Only what is right, or could not be looked at, is not counted: `look` says when it did, where it
   * may fail afterwards.
   */
  async guess<T>(
    attempt: AttemptOrigin,
    account: string,
    look: (looked: () => void) => Promise<T>,
    isRight: (found: T) => boolean = Boolean,
  ): Promise<T> {
    const [address, pair] = [addressKey(attempt.address), attemptKey(attempt, account)];
    this.#account.check(pair);
    this.#address.take(address);
    this.#account.take(pair);
    const giveBack = (): void => {
      this.#address.refund(address);
      this.#account.refund(pair);
    };
    let looked = false;
    try {
      const found = await look(() => {
        looked = true;
      });
      if (isRight(found)) giveBack();
      return found;
    } catch (error) {
      if (!looked && (!(error instanceof Fault) || error.status >= 499)) giveBack();
      // Told to wait for another reason: that is no guess, but whoever keeps asking is counted by address.
      else if (!looked && error instanceof Fault && error.status === 429) this.#account.refund(pair);
      throw error;
    }
  }
}

export const attemptKey = ({ address, device }: AttemptOrigin, account: string): string =>
  `${device === undefined ? addressKey(address) : `device ${device}`} ${account}`;
