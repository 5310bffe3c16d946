// Receive or share: paste a link, or scan a QR code.
import { html, nothing } from 'lit';
import { define } from '../../shared/element.ts';
import { form } from '../../shared/form.ts';
import { type Problem, problemMessage, problemOf } from '../../shared/problem.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { go } from '../frame.ts';
import { words } from '../words/index.ts';
import { kindOf, openLink } from './links.ts';
import { hasCamera, readPicture, scanCode } from './scan.ts';

/** Only schemes that begin with `web+` can be registered for a page. */
const SCHEMES = ['web+openidcredentialoffer', 'web+openidvp'];

const isLink = (text: string): boolean => kindOf(text) !== undefined;

class Open extends Screen {
  #problem: Problem | undefined;

  heading(): string {
    return words.open.title;
  }

  async #open(link: string): Promise<void> {
    await go(await openLink(link));
  }

  async #scan(read: Promise<string | undefined>, unread?: string): Promise<void> {
    try {
      const link = await read;
      if (link !== undefined) await this.#open(link);
      else if (unread !== undefined) announce(unread);
    } catch (error) {
      this.#problem = problemOf(error, true);
      this.requestUpdate();
    }
  }

  #register(): void {
    for (const scheme of SCHEMES) navigator.registerProtocolHandler(scheme, `${window.location.origin}/open?uri=%s`);
    announce(words.open.registered);
  }

  protected content(): Content {
    const { open } = words;
    return html`<p>${open.text}</p>
      <section class="card">
        <h2>${open.paste}</h2>
        ${form({
          fields: [
            {
              name: 'link',
              label: open.link,
              type: 'textarea',
              required: true,
              hint: open.linkHint,
              check: (text) => (text.trim() === '' || kindOf(text) ? undefined : open.noLink),
            },
          ],
          submitLabel: open.look,
          submit: (values) => this.#open(values.text('link')),
        })}
      </section>
      <section class="card">
        <h2>${open.scan}</h2>
        ${problemMessage(this.#problem)}
        <p>${open.scanText}</p>
        ${hasCamera() ? html`<p><button type="button" class="second" @click=${() => void this.#scan(scanCode(isLink))}>${open.startCamera}</button></p>` : nothing}
        <div class="field"><label for="picture">${open.picture}</label>
          <input id="picture" type="file" accept="image/*" @change=${(event: Event) => {
            const input = event.target as HTMLInputElement;
            const [file] = input.files ?? [];
            input.value = '';
            if (file) void this.#scan(readPicture(file, isLink), open.noCode);
          }} /></div>
      </section>
      ${
        'registerProtocolHandler' in navigator
          ? html`<section class="card">
        <h2>${open.handler}</h2>
        <p>${open.handlerText}</p>
        <button type="button" class="second" @click=${() => this.#register()}>${open.register}</button>
      </section>`
          : nothing
      }`;
  }
}

define('gw-open', Open);
