// A value that every process always has at hand, and reads again after each change: for what code asks without waiting, such as settings.
// Unlike a cache it also answers while the feed is down; then it is read again every second.
import type { Feed } from './cache.ts';

const RETRY_MS = 1000;

export interface FollowedOptions<V> {
  /** A change that invalidates this tag makes it read again. */
  readonly tag: string;
  /** Before it was read for the first time. */
  readonly initial: V;
  read(): Promise<V>;
}

export class Followed<V> {
  readonly #options: FollowedOptions<V>;
  readonly #feed: Pick<Feed, 'live'>;
  #value: V;
  /** Reads follow one another, so that an older one does not overwrite a newer one. */
  #reading: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(feed: Pick<Feed, 'live'>, options: FollowedOptions<V>) {
    this.#feed = feed;
    this.#options = options;
    this.#value = options.initial;
  }

  get value(): V {
    return this.#value;
  }

  /** Reads it now. A caller who has changed it sees the change afterwards. */
  refresh(): Promise<void> {
    const reading = this.#reading
      .catch(() => {})
      .then(async () => {
        this.#value = await this.#options.read();
      });
    this.#reading = reading;
    return reading;
  }

  /** Reads it for the first time, and from now on whenever changes may have been missed. */
  async start(): Promise<void> {
    await this.refresh();
    this.#timer = setInterval(() => {
      if (!this.#feed.live()) this.#refreshSoon();
    }, RETRY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** After a change; `undefined` when anything may have changed. */
  drop(tags: readonly string[] | undefined): void {
    if (!tags || tags.includes(this.#options.tag)) this.#refreshSoon();
  }

  #refreshSoon(): void {
    this.refresh().catch(() => {
      setTimeout(() => this.#timer && this.#refreshSoon(), RETRY_MS).unref();
    });
  }
}
