// A tab of the screen of a person: what it loads, and what it shows.
import type { Location } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';
import type { User } from '../resources.ts';
import type { Lock } from './lock.ts';

export interface PersonContext {
  readonly user: User;
  readonly etag: string | undefined;
  /** Undefined for whoever may not know it. */
  readonly lock: Lock | undefined;
  /** Of the person, in the API. */
  readonly path: string;
  readonly location: Location;
  /** What the caller may do with this person. */
  may(rule: string): boolean;
  /** Loads the screen again. */
  reload(): Promise<void>;
}

export abstract class PersonTab {
  protected readonly context: PersonContext;
  constructor(context: PersonContext) {
    this.context = context;
  }
  abstract load(signal: AbortSignal): Promise<void>;
  abstract content(): Content;
}
