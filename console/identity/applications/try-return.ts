// Where the provider returns to when somebody tries a sign-in: gives the answer to the page that tries, and shows nothing of it.
import { html } from 'lit';
import { define } from '../../shared/element.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { passAnswer } from '../../shared/try-channel.ts';
import { words } from '../words/index.ts';

class TryReturn extends Screen {
  #isReceived = false;

  heading(): string {
    return words.trySignIn.title;
  }

  protected override async load(): Promise<void> {
    const { query, params } = this.location;
    if (!query.has('state')) return;
    this.#isReceived = await passAnswer(params.id!, Object.fromEntries(query));
  }

  protected content(): Content {
    return html`<p role="status">${this.#isReceived ? words.trySignIn.goBack : words.trySignIn.nobodyWaits}</p>`;
  }
}

define('gh-try-return', TryReturn);
