// What was issued to all wallets, for administrators.
import { html } from 'lit';
import { define } from '../../shared/element.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { words } from '../words/index.ts';
import { type IssuedContent, issuedList, readIssued } from './issued.ts';

class Credentials extends Screen {
  #issued: IssuedContent | undefined;

  heading(): string {
    return words.credentials.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#issued = await readIssued({}, this.location, signal);
  }

  protected content(): Content {
    return html`<p>${words.credentials.intro}</p>${issuedList(this.#issued!, () => this.reload())}`;
  }
}

define('gh-credentials', Credentials);
