// An offer: who offers which credentials, and accepting them. What is accepted is what was shown; the service checks that.
import { html, nothing } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { type FormField, type FormValues, form } from '../../shared/form.ts';
import { ApiError } from '../../shared/http.ts';
import { part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { offeredCard } from '../credentials/card.ts';
import { localName, nameOf } from '../display.ts';
import { go } from '../frame.ts';
import { previewOf } from '../open/links.ts';
import { hostOf, shownPeer } from '../peer.ts';
import { peerCard } from '../peer-card.ts';
import { api } from '../session.ts';
import type { IssuanceAnswer, OfferedCredential, OfferPreview } from '../types.ts';
import { words } from '../words/index.ts';

class Offer extends Screen {
  #preview: OfferPreview | undefined;
  #isOutdated = false;

  heading(): string {
    return words.receive.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#preview = undefined;
    const { id } = this.location.params;
    const answer = await previewOf<OfferPreview>('oid4vci', id!, signal);
    // It was accepted before, and is continued.
    if (answer.status !== 'preview') return void (await this.#follow(answer as IssuanceAnswer));
    this.#preview = answer;
  }

  async #follow(answer: IssuanceAnswer): Promise<void> {
    const { receive } = words;
    if (answer.status === 'issued') {
      announce(receive.received(answer.credentials.length));
      const [first, ...others] = answer.credentials;
      return go(first && others.length === 0 ? `/credentials/${part(first.id)}` : '/', undefined, { replace: true });
    }
    if (answer.status === 'authorization_required') return window.location.assign(answer.authorizationUrl);
    return go(`/history/${part(answer.exchangeId)}`, undefined, { replace: true });
  }

  async #accept(values: FormValues): Promise<void> {
    const { exchangeId, txCode, offered } = this.#preview!;
    const choices = offered.filter(({ supported }) => supported);
    const wanted = choices.length > 1 ? choices.filter((_, at) => values.checked(`offer-${at}`)) : choices;
    try {
      const answer = await api.post<IssuanceAnswer>('/oid4vci', {
        exchangeId,
        credentialConfigurationIds: wanted.map(({ configurationId }) => configurationId),
        ...(txCode ? { txCode: values.text('txCode') } : {}),
      });
      await this.#follow(answer);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'preview-outdated') throw error;
      this.#isOutdated = true;
      await this.reload();
    }
  }

  async #decline(): Promise<void> {
    const { receive } = words;
    const isDone = await confirmAct({
      title: receive.declineTitle,
      text: receive.declineText,
      action: receive.decline,
      run: () => api.post(`/exchanges/${part(this.#preview!.exchangeId)}/cancel`),
    });
    if (isDone) await go('/', undefined, { replace: true });
  }

  #fields({ offered, txCode }: OfferPreview): FormField[] {
    const { receive } = words;
    const choices = offered.filter(({ supported }) => supported);
    const boxes = choices.map(
      ({ displays, type, configurationId }: OfferedCredential, at): FormField => ({
        name: `offer-${at}`,
        label: receive.take(nameOf(displays, type ?? configurationId)),
        type: 'checkbox',
        value: true,
      }),
    );
    if (!txCode) return choices.length > 1 ? boxes : [];
    const isNumeric = txCode.inputMode === 'numeric';
    const code: FormField = {
      name: 'txCode',
      codes: ['tx-code-required', 'tx-code-rejected'],
      label: receive.txCode,
      required: true,
      autocomplete: 'one-time-code',
      maxLength: txCode.length ?? 200,
      hint: [
        // The issuer knows where it is.
        txCode.description ? receive.issuerSays(txCode.description) : receive.txCodeHint,
        txCode.length ? receive.txCodeLength(txCode.length, isNumeric) : '',
      ]
        .filter(Boolean)
        .join(' '),
      ...(isNumeric ? { pattern: '[0-9]*' } : {}),
    };
    return [...(choices.length > 1 ? boxes : []), code];
  }

  protected content(): Content {
    const preview = this.#preview;
    if (!preview) return nothing;
    const { receive } = words;
    const { issuer, offered, grant } = preview;
    const proof = (receive.proofs as Record<string, string>)[issuer.proof] ?? issuer.proof;
    const decline = html`<div class="buttons"><button type="button" class="second danger" @click=${() => void this.#decline()}>${receive.decline}</button></div>`;
    const isPossible = offered.some(({ supported }) => supported);
    return html`${this.#isOutdated ? html`<p class="warn" role="alert">${receive.outdated}</p>` : nothing}
      <section class="card">
        <h2>${receive.who}</h2>
        ${peerCard(shownPeer(localName(issuer.names), issuer.id, issuer.proof), proof, { isBad: issuer.proof === 'none' })}
      </section>
      <section class="card">
        <h2>${receive.what}</h2>
        <ul class="credential-cards">${offered.map((one) => html`<li>${offeredCard(one)}</li>`)}</ul>
        <p class="soft">${receive.ownWords}</p>
      </section>
      ${
        isPossible
          ? html`<section class="card">
        <h2>${receive.decide}</h2>
        ${grant === 'authorization_code' ? html`<p>${receive.leads(hostOf(issuer.id))}</p>` : nothing}
        ${form({
          fields: this.#fields(preview),
          submitLabel: receive.accept,
          submit: (values) => this.#accept(values),
        })}
        ${decline}
      </section>`
          : html`<p class="bad">${receive.nothingUsable}</p>${decline}`
      }`;
  }
}

define('gw-offer', Offer);
