// Pages that show what is not saved yet, for some minutes, at an address that nobody guesses. They are rendered in frames of the console.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { newSecret } from '../../../platform/ids.ts';
import type { Language } from '../../../platform/languages/index.ts';
import { Throttle } from '../../../platform/limits/index.ts';
import type { Database } from '../database/index.ts';
import type { Scheme } from './brand-colors.ts';
import { deletePreviews, findPreview, insertPreview } from './previews.store.ts';

const LIFE_SECONDS = 600;
/** Of one person. The console makes one for each pause in typing; each may be as large as a logo, and stays for its life. */
const MADE = { attempts: 120, perSeconds: 60 };

/** How the service would look. */
export interface LookDraft {
  readonly name: string;
  readonly color: string | undefined;
  /** An image as a data: address; undefined for none. */
  readonly logo: string | undefined;
  readonly links: {
    readonly help?: string | undefined;
    readonly terms?: string | undefined;
    readonly privacy?: string | undefined;
  };
  readonly language: Language;
  readonly scheme: Scheme;
}

export type PreviewContent =
  | { readonly kind: 'look'; readonly look: LookDraft }
  /** The HTML of a mail. */
  | { readonly kind: 'mail'; readonly html: string };

export interface Preview {
  readonly id: string;
  readonly expiresAt: number;
}

export function createPreviews({
  db,
  clock,
  rateLimits,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly rateLimits: boolean;
}) {
  const throttle = new Throttle(rateLimits ? MADE : undefined, clock);

  return {
    /** Whoever makes too many waits. `by`: the id of the person. */
    async make(by: string, content: PreviewContent): Promise<Preview> {
      throttle.take(by);
      const preview = { id: newSecret(), expiresAt: seconds(clock) + LIFE_SECONDS };
      await db.write((tx) => insertPreview(tx, { ...preview, content: JSON.stringify(content) }));
      return preview;
    },

    async find(id: string): Promise<PreviewContent | undefined> {
      const content = await findPreview(db.read, id, seconds(clock));
      return content === undefined ? undefined : (JSON.parse(content) as PreviewContent);
    },

    sweep: (): Promise<number> => db.write((tx) => deletePreviews(tx, seconds(clock))),
  };
}

export type Previews = ReturnType<typeof createPreviews>;
