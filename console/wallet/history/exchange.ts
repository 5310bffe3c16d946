// One exchange: with whom, about what, its steps, and how it can go on.
import { html, nothing, type TemplateResult } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { form } from '../../shared/form.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { relativeTime, time } from '../../shared/time.ts';
import { forExperts } from '../experts.ts';
import { hostOf } from '../peer.ts';
import { peerCard } from '../peer-card.ts';
import { api } from '../session.ts';
import type { Exchange, IssuanceAnswer } from '../types.ts';
import { words } from '../words/index.ts';
import { partyOf, peerName, peerOf, sharedClaims, sharedName, stateBadge, stateName, subjectOf } from './names.ts';

/** While an issuer needs time, the screen looks again this often. */
const LOOK_MS = 10_000;

class OneExchange extends Screen {
  #exchange: Exchange | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  heading(): string {
    const { history } = words;
    const exchange = this.#exchange;
    if (!exchange) return history.one;
    const who = peerName(exchange);
    if (exchange.state === 'issued') return history.receivedFrom(who);
    if (exchange.state === 'submitted') return history.sharedWith(who);
    return exchange.protocol === 'oid4vci' ? history.offerOf(who) : history.requestOf(who);
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    clearTimeout(this.#timer);
    this.#exchange = await api.get<Exchange>(`/exchanges/${part(this.location.params.id!)}`, { signal });
    if (this.#exchange.next === 'wait') this.#timer = setTimeout(() => void this.reload(), LOOK_MS);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#timer);
  }

  protected override headingActions(): Content {
    const exchange = this.#exchange!;
    if (exchange.finished || exchange.state === 'answering') return nothing;
    return html`<button type="button" class="second danger" @click=${() => void this.#cancel(exchange)}>${words.history.cancel}</button>`;
  }

  async #cancel({ id, protocol }: Exchange): Promise<void> {
    const { history } = words;
    const isDone = await confirmAct({
      title: history.cancelTitle,
      text: protocol === 'oid4vci' ? history.cancelOffer : history.cancelRequest,
      action: history.cancel,
      run: () => api.post(`/exchanges/${part(id)}/cancel`),
    });
    if (isDone) await this.reload();
  }

  async #continue({ id }: Exchange): Promise<void> {
    const answer = await api.post<IssuanceAnswer>('/oid4vci', { exchangeId: id });
    if (answer.status === 'authorization_required') return window.location.assign(answer.authorizationUrl);
    await this.reload();
    announce(answer.status === 'issued' ? words.receive.received(answer.credentials.length) : words.history.stillWaiting);
  }

  #next(exchange: Exchange): TemplateResult | typeof nothing {
    const { history } = words;
    const { next, id, retryAt } = exchange;
    if (!next) return nothing;
    const text = history.nextSteps[next];
    const link = next === 'accept' ? `/receive/${part(id)}` : next === 'answer' ? `/share/${part(id)}` : undefined;
    const label = next === 'wait' ? history.askNow : next === 'authorize' ? history.authorize : history.goOn;
    return html`<section class="card">
      <h2>${history.nextTitle}</h2>
      <p>${text} ${next === 'wait' && retryAt && Date.parse(retryAt) > Date.now() ? html`${history.nextLook} ${relativeTime(retryAt)}.` : nothing}</p>
      ${
        link
          ? html`<a class="button" href=${hrefOf(link)}>${history.goOn}</a>`
          : form({ fields: [], submitLabel: label, submit: () => this.#continue(exchange) })
      }
    </section>`;
  }

  #shown({ summary: { presented = [], credentialIds = [] } }: Exchange): TemplateResult | typeof nothing {
    const { history } = words;
    return html`${
      credentialIds.length === 0
        ? nothing
        : html`<section class="card"><h2>${history.receivedTitle}</h2>
        <ul class="plain-list">${credentialIds.map((id, at) => html`<li><a href=${hrefOf(`/credentials/${part(id)}`)}>${history.credential(at + 1)}</a></li>`)}</ul></section>`
    }
    ${
      presented.length === 0
        ? nothing
        : html`<section class="card"><h2>${history.shownTitle}</h2>
        <dl class="facts">${presented.map(
          (one) =>
            html`<dt>${sharedName(one)}</dt>
            <dd>${sharedClaims(one)}</dd>`,
        )}</dl></section>`
    }`;
  }

  #steps({ steps, damaged }: Exchange): TemplateResult {
    const { history } = words;
    const problems = words.problems.explanations as Readonly<Record<string, { readonly title: string }>>;
    return html`${damaged ? html`<p class="bad">${history.damaged}</p>` : nothing}
      <h3>${history.stepsTitle}</h3>
      <ol class="steps">${steps.map(
        ({ at, step, detail, error }) => html`<li>
        <strong>${(history.steps as Record<string, string>)[step] ?? step}</strong>
        <span class="soft">${time(at)}</span>
        ${error ? html`<br /><span class="problem">${problems[error]?.title ?? error}</span>` : nothing}
        ${detail ? html`<br /><span class="soft" lang="en">${detail}</span>` : nothing}
      </li>`,
      )}</ol>`;
  }

  protected content(): Content {
    const { history, share, receive } = words;
    const exchange = this.#exchange!;
    const { summary, peer, createdAt, protocol } = exchange;
    const proofs = (protocol === 'oid4vci' ? receive.proofs : share.proofs) as Readonly<Record<string, string>>;
    const proof = summary.proof ? (proofs[summary.proof] ?? summary.proof) : '';
    return html`${this.#next(exchange)}
      <section class="card">
        <h2>${history.with}</h2>
        ${peerCard(peerOf(exchange), proof)}
        <p><a href=${hrefOf('/history', { party: partyOf(exchange) })}>${history.allWith}</a></p>
      </section>
      ${this.#shown(exchange)}
      <section class="card">
        <h2>${history.aboutTitle}</h2>
        <dl class="facts">
          <dt>${history.state}</dt><dd><span class="badge ${stateBadge(exchange)}">${stateName(exchange)}</span></dd>
          ${subjectOf(exchange) ? html`<dt>${history.about}</dt><dd>${subjectOf(exchange)}</dd>` : nothing}
          <dt>${history.begun}</dt><dd>${time(createdAt)}</dd>
        </dl>
      </section>
      ${forExperts(html`<dl class="facts">
          ${peer ? html`<dt>${/^https?:/.test(peer) ? history.address : share.clientId}</dt><dd><code>${peer}</code></dd>` : nothing}
          ${summary.responseUri ? html`<dt>${share.goesTo}</dt><dd>${hostOf(summary.responseUri)}</dd>` : nothing}
        </dl>
        ${this.#steps(exchange)}`)}`;
  }
}

define('gw-exchange', OneExchange);
