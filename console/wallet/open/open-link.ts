// /open: a link that another page or an application sent the browser to. Whoever made it chose the moment, so nothing is asked of anybody
// before the person agrees: otherwise any site could learn who has a wallet here. It takes `?uri=`, and also the parameters of an offer or
// a request themselves: it is the wallet's address for both protocols.
import { html } from 'lit';
import { define } from '../../shared/element.ts';
import { form } from '../../shared/form.ts';
import { hrefOf } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { go } from '../frame.ts';
import { words } from '../words/index.ts';
import { askedHost, kindOf, openLink } from './links.ts';

class OpenLink extends Screen {
  heading(): string {
    const kind = kindOf(this.#link);
    return kind === 'offer' ? words.open.offerTitle : kind === 'request' ? words.open.requestTitle : words.open.title;
  }

  get #link(): string {
    return this.location.query.get('uri') ?? window.location.href;
  }

  async #open(): Promise<void> {
    // The link may hold a code that works once, so it does not stay in the history of the browser.
    await go(await openLink(this.#link), undefined, { replace: true });
  }

  protected content(): Content {
    const { open } = words;
    const kind = kindOf(this.#link);
    if (!kind) return html`<p class="bad" role="alert">${open.noLink}</p><p><a href=${hrefOf('/receive')}>${open.paste}</a></p>`;
    const host = askedHost(this.#link);
    return html`<section class="card">
      <p>${kind === 'offer' ? open.offerText : open.requestText}</p>
      <p>${host ? html`${open.willAsk} <strong>${host}</strong>` : open.willAskNobody}</p>
      ${form({ fields: [], submitLabel: open.look, submit: () => this.#open(), cancel: () => void go('/') })}
    </section>`;
  }
}

define('gw-open-link', OpenLink);
