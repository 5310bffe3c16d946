// What a client knows of the service: a fact has a state, and changes by requests. An acknowledged change has happened. A request without
// an answer has happened or not, but completely.
import assert from 'node:assert/strict';
import type { Random } from './random.ts';

/** The connection ended before the answer. */
export class NoAnswer extends Error {}

export interface Change {
  /** The state it leads to. */
  readonly to: string;
  /** The action of its audit event, if the target of the fact has one. */
  readonly event: string | undefined;
  /** Resolves when it is acknowledged. Throws NoAnswer if that is unknown. */
  send(): Promise<void>;
}

/** Where the audit events of a fact are. */
export interface Trail {
  readonly service: 'identity' | 'wallet';
  readonly targetId: string;
  /** Text in the details of the event, if the target has others as well. */
  readonly about?: readonly string[];
}

export const ABSENT = 'absent';

export abstract class Fact {
  readonly name: string;
  state = ABSENT;
  /** A change without an answer. */
  pending: Change | undefined;
  isBusy = false;
  /** Nothing more will happen to it. */
  isOver = false;
  /** Changes that have happened, by the action of their event. */
  readonly happened = new Map<string, number>();

  constructor(name: string) {
    this.name = name;
  }

  abstract next(random: Random): Change | undefined;
  /** The present state, read from the service. */
  abstract read(): Promise<string>;
  /** Undefined as long as nothing is known of it. */
  abstract trail(): Trail | undefined;

  /** Sends the next change. Returns whether it was acknowledged. */
  async change(random: Random): Promise<boolean> {
    const change = this.next(random);
    if (!change) {
      this.isOver = true;
      return false;
    }
    this.pending = change;
    try {
      await change.send();
    } catch (error) {
      if (error instanceof NoAnswer) return false;
      throw new Error(`${this.name}, from ${this.state} to ${change.to}: ${(error as Error).message}`, { cause: error });
    }
    this.#settle(change.to);
    return true;
  }

  /** Compares what is known with what the service says. */
  async verify(): Promise<void> {
    const now = await this.read();
    const { state, pending } = this;
    const possible = pending ? [state, pending.to] : [state];
    assert.ok(possible.includes(now), `${this.name} is ${now}, and should be ${possible.join(' or ')}`);
    this.#settle(now);
  }

  #settle(now: string): void {
    const { pending } = this;
    this.pending = undefined;
    if (!pending || now === this.state) return;
    this.state = now;
    if (pending.event !== undefined) this.happened.set(pending.event, (this.happened.get(pending.event) ?? 0) + 1);
  }
}
