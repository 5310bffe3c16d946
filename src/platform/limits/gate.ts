// Every guess at a secret goes through this gate. Guesses are counted by address, and by account and address, before the secret is
// checked.
import type { Clock } from '../clock.ts';
import { Fault } from '../faults/index.ts';
import { addressKey } from './address.ts';
import { Throttle, type ThrottleRule } from './throttle.ts';

/** Where a guess comes from. */
export interface AttemptOrigin {
  readonly address: string;
  /** Aborted when the client has disconnected. */
  readonly signal?: AbortSignal | undefined;
  /** A verified remembered device. It is counted separately, whatever its address. */
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
  /** Counted separately from people: a user who mistypes passwords in an application must not lock out the application itself. */
  readonly #secretsOfOwner: Throttle;
  readonly #secretsOfAddress: Throttle;

  /** `undefined` limits nothing. */
  constructor(rules: GateRules | undefined, clock: Clock) {
    this.#address = new Throttle(rules?.address, clock);
    this.#account = new Throttle(rules?.account, clock);
    this.#secretsOfOwner = new Throttle(rules?.account, clock);
    this.#secretsOfAddress = new Throttle(rules?.address, clock);
  }

  /** Refuses early, before the caller waits in a queue, what would be refused afterwards anyway. */
  check(attempt: AttemptOrigin, account: string): void {
    this.#address.check(addressKey(attempt.address));
    this.#account.check(attemptKey(attempt, account));
  }

  /** Counts a wrong guess that passed `check` before. */
  wrong(attempt: AttemptOrigin, account: string): void {
    const [address, pair] = [addressKey(attempt.address), attemptKey(attempt, account)];
    if (this.#address.has(address)) this.#address.take(address);
    if (this.#account.has(pair)) this.#account.take(pair);
  }

  /**
   * For long random secrets, which parallel guessing cannot find. Only wrong ones are counted, afterwards, so that any number of right
   * ones may come at the same time. Counted by owner and address, or by address alone if the owner is unknown.
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
   * Checks a secret, unless there were too many wrong guesses. `account` is the account's id, or what was typed if there is no such
   * account. A guess is not counted if it is right or could not be checked. If `verify` may still fail after it has checked the
   * secret, it calls `checked`, and the failure counts as a guess.
   */
  async guess<T>(
    attempt: AttemptOrigin,
    account: string,
    verify: (checked: () => void) => Promise<T>,
    isRight: (found: T) => boolean = Boolean,
  ): Promise<T> {
    const [address, pair] = [addressKey(attempt.address), attemptKey(attempt, account)];
    this.#account.check(pair);
    this.#address.take(address);
    this.#account.take(pair);
    const refund = (): void => {
      this.#address.refund(address);
      this.#account.refund(pair);
    };
    let checked = false;
    try {
      const found = await verify(() => {
        checked = true;
      });
      if (isRight(found)) refund();
      return found;
    } catch (error) {
      if (!checked && (!(error instanceof Fault) || error.status >= 499)) refund();
      // Refused by another limit: not a guess at this account, but still counted by address.
      else if (!checked && error instanceof Fault && error.status === 429) this.#account.refund(pair);
      throw error;
    }
  }
}

export const attemptKey = ({ address, device }: AttemptOrigin, account: string): string =>
  `${device === undefined ? addressKey(address) : `device ${device}`} ${account}`;
