// Where a provider returns to when somebody tries the sign-in there: gives the answer to the page that tries, and shows nothing of it.
import { html } from 'lit';
import { define } from '../../shared/element.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { passAnswer } from '../../shared/try-channel.ts';
import { words } from '../words/index.ts';

/** The state of an attempt is `try.` and its id. */
const attemptIdOf = (state: string | null): string | undefined => /^try\.([\w-]{16,64})$/.exec(state ?? '')?.[1];

class TriedProvider extends Screen {
  #isReceived = false;

  heading(): string {
    return words.providers.tryTitle;
  }

  protected override async load(): Promise<void> {
    const id = attemptIdOf(this.location.query.get('state'));
    if (id === undefined) return;
    this.#isReceived = await passAnswer(id, window.location.search);
  }

  protected content(): Content {
    return html`<p role="status">${this.#isReceived ? words.providers.goBack : words.providers.nobodyWaits}</p>`;
  }
}

define('gh-tried-provider', TriedProvider);
