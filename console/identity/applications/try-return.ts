// Where the provider returns to when somebody tries a sign-in: gives the answer to the page that tries, and shows nothing of it.
import { html } from 'lit';
import { define } from '../../shared/element.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { words } from '../words/index.ts';
import { channelOf } from './try-flow.ts';

const WAIT_MS = 3_000;

class TryReturn extends Screen {
  #isReceived = false;

  heading(): string {
    return words.trySignIn.title;
  }

  protected override async load(): Promise<void> {
    const { query, params } = this.location;
    if (!query.has('state')) return;
    const channel = channelOf(params.id!);
    const received = new Promise<boolean>((resolve) => {
      channel.onmessage = () => resolve(true);
      setTimeout(() => resolve(false), WAIT_MS);
    });
    channel.postMessage(Object.fromEntries(query));
    // The code works once, and only with what the other page knows. It need not stay in the address nevertheless.
    history.replaceState(null, '', window.location.pathname);
    this.#isReceived = await received;
    channel.close();
  }

  protected content(): Content {
    return html`<p role="status">${this.#isReceived ? words.trySignIn.goBack : words.trySignIn.nobodyWaits}</p>`;
  }
}

define('gh-try-return', TryReturn);
