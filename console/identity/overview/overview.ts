// The first screen.
import { html } from 'lit';
import { define } from '../../shared/element.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { session } from '../session.ts';
import { words } from '../words/index.ts';

class Overview extends Screen {
  heading(): string {
    return words.overview.title;
  }

  protected content(): Content {
    return html`<p>${words.overview.welcome(session.person.display_name)}</p>`;
  }
}

define('gh-overview', Overview);
