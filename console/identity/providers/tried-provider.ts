// Where a provider returns to when somebody tries the sign-in there: gives the answer to the page that tries, and shows nothing of it.
import { html } from 'lit';
import { define } from '../../shared/element.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { words } from '../words/index.ts';
import { attemptIdOf, channelOf } from './try-channel.ts';

const WAIT_MS = 3_000;

class TriedProvider extends Screen {
  #isReceived = false;

  heading(): string {
    return words.providers.tryTitle;
  }

  protected override async load(): Promise<void> {
    const id = attemptIdOf(this.location.query.get('state'));
    if (id === undefined) return;
    const channel = channelOf(id);
    const received = new Promise<boolean>((resolve) => {
      channel.onmessage = () => resolve(true);
      setTimeout(() => resolve(false), WAIT_MS);
    });
    channel.postMessage(window.location.search);
    // The code works once, and only for who began. It need not stay in the address nevertheless.
    history.replaceState(null, '', window.location.pathname);
    this.#isReceived = await received;
    channel.close();
  }

  protected content(): Content {
    return html`<p role="status">${this.#isReceived ? words.providers.goBack : words.providers.nobodyWaits}</p>`;
  }
}

define('gh-tried-provider', TriedProvider);
