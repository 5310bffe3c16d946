// A part of the service's screen: what it reads, and how it shows it.
import type { Location } from '../../shared/router.ts';
import type { Content } from '../../shared/screen.ts';

export abstract class ServicePart {
  readonly location: Location;
  /** Loads and shows everything again. */
  readonly reload: () => Promise<void>;
  /** Shows what changed in its own fields. */
  readonly update: () => void;

  constructor(location: Location, reload: () => Promise<void>, update: () => void) {
    this.location = location;
    this.reload = reload;
    this.update = update;
  }

  abstract load(signal: AbortSignal): Promise<void>;
  abstract content(): Content;
}
