// What a person has in their wallets.
import { html } from 'lit';
import type { Content } from '../../shared/screen.ts';
import { type IssuedContent, issuedList, readIssued } from '../credentials/issued.ts';
import { words } from '../words/index.ts';
import { PersonTab } from './person-tab.ts';

export class PersonCredentials extends PersonTab {
  #issued: IssuedContent | undefined;

  async load(signal: AbortSignal): Promise<void> {
    const { user, location } = this.context;
    const issued = await readIssued({ user_id: user.id }, location, signal);
    // Acts name the person.
    this.#issued = { ...issued, people: new Map([[user.id, user.name]]) };
  }

  content(): Content {
    return html`<p>${words.credentials.personIntro}</p>${issuedList(this.#issued!, () => this.context.reload())}`;
  }
}
