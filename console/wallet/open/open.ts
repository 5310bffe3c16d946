// Receive or share: paste a link, or scan a QR code.
import { html, nothing, type TemplateResult } from 'lit';
import { define } from '../../shared/element.ts';
import { form } from '../../shared/form.ts';
import { type Problem, problemMessage, problemOf } from '../../shared/problem.ts';
import { hrefOf } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { go } from '../frame.ts';
import { words } from '../words/index.ts';
import { kindOf, openLink } from './links.ts';
import { hasCamera, mayUseCamera, readPicture, scanCode } from './scan.ts';

/** Only schemes that begin with `web+` can be registered for a page. */
const SCHEMES = ['web+openidcredentialoffer', 'web+openidvp'];

/** In the address: the camera begins at once. */
const BEGINS = 'scan';

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

  /** The document may have been loaded for another screen, which may not use the camera. Then this one is loaded anew, and begins at once. */
  #startCamera(): void {
    if (mayUseCamera() || this.location.query.get(BEGINS)) return void this.#scan(scanCode(isLink));
    window.location.assign(hrefOf('/receive', { [BEGINS]: 'true' }));
  }

  protected override firstUpdated(): void {
    if (!this.location.query.get(BEGINS)) return;
    this.#startCamera();
    window.history.replaceState(null, '', hrefOf('/receive'));
  }

  #register(): void {
    for (const scheme of SCHEMES) navigator.registerProtocolHandler(scheme, `${window.location.origin}/open?uri=%s`);
    announce(words.open.registered);
  }

  #pasteCard(): TemplateResult {
    const { open } = words;
    return html`<section class="card">
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
    </section>`;
  }

  #scanCard(isFirst: boolean): TemplateResult {
    const { open } = words;
    return html`<section class="card">
      <h2>${open.scan}</h2>
      ${problemMessage(this.#problem)}
      <p>${open.scanText}</p>
      ${
        hasCamera()
          ? html`<p><button type="button" class=${isFirst ? '' : 'second'} @click=${() => this.#startCamera()}>${open.startCamera}</button></p>`
          : html`<p class="warn">${open.cameraUnsupported}</p>`
      }
      <div class="field"><label for="picture">${open.picture}</label>
        <input id="picture" type="file" accept="image/*" @change=${(event: Event) => {
          const input = event.target as HTMLInputElement;
          const [file] = input.files ?? [];
          input.value = '';
          if (file) void this.#scan(readPicture(file, isLink), open.noCode);
        }} /></div>
    </section>`;
  }

  protected content(): Content {
    const { open } = words;
    // A phone is held in front of a code; at a desk a link is at hand.
    const isHeld = window.matchMedia('(pointer: coarse)').matches;
    const [paste, scan] = [this.#pasteCard(), this.#scanCard(isHeld)];
    return html`<p>${open.text}</p>
      ${isHeld ? [scan, paste] : [paste, scan]}
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
