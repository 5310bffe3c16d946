// One credential: its claims, its issuer, how long it is valid, and what it is bound to.
import { html, nothing } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { relativeTime, time } from '../../shared/time.ts';
import { claimRows, descriptionOf, titleOf } from '../display.ts';
import { forExperts } from '../experts.ts';
import { go } from '../frame.ts';
import { shownIssuer } from '../peer.ts';
import { peerCard } from '../peer-card.ts';
import { api } from '../session.ts';
import type { Credential } from '../types.ts';
import { wholeValue } from '../value.ts';
import { words } from '../words/index.ts';
import { credentialFace, statusBadge } from './card.ts';

class OneCredential extends Screen {
  #credential: Credential | undefined;

  heading(): string {
    return this.#credential ? titleOf(this.#credential) : words.credentials.one;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#credential = await api.get<Credential>(`/credentials/${part(this.location.params.id!)}`, { signal });
  }

  protected override headingActions(): Content {
    return html`<button type="button" class="second danger" @click=${() => void this.#purge()}>${words.credentials.purge}</button>`;
  }

  async #purge(): Promise<void> {
    const { credentials } = words;
    const credential = this.#credential!;
    const isDone = await confirmAct({
      title: credentials.purgeTitle(titleOf(credential)),
      text: credentials.purgeText(credential.instances),
      action: credentials.purge,
      run: () => api.delete(`/credentials/${part(credential.id)}`),
    });
    if (!isDone) return;
    announce(credentials.purged);
    await go('/');
  }

  protected content(): Content {
    const { credentials } = words;
    const credential = this.#credential!;
    const { issuer, holder, displays, format, type } = credential;
    const description = descriptionOf(displays);
    const rows = claimRows(credential);
    const proof = (credentials.trust as Record<string, string>)[issuer.trust] ?? issuer.trust;
    return html`<div class="face">${credentialFace(credential)}</div>
      ${description ? html`<p><bdi>${description}</bdi></p>` : nothing}
      <section class="card">
        <h2>${credentials.claims}</h2>
        ${
          rows.length === 0
            ? html`<p>${credentials.saysNothing}</p>`
            : html`<dl class="facts">${rows.map(({ label, value }) => html`<dt>${label}</dt><dd>${wholeValue(value)}</dd>`)}</dl>`
        }
      </section>
      <section class="card">
        <h2>${credentials.issuer}</h2>
        ${peerCard(shownIssuer(issuer), proof, { isBad: issuer.trust === 'none' })}
      </section>
      <section class="card">
        <h2>${credentials.about}</h2>
        <dl class="facts">
          <dt>${credentials.status}</dt>
          <dd>${statusBadge(credential)} ${credential.statusCheckedAt ? html`<span class="soft">${credentials.checked} ${relativeTime(credential.statusCheckedAt)}</span>` : nothing}</dd>
          ${credential.validFrom ? html`<dt>${credentials.validFromLabel}</dt><dd>${time(credential.validFrom)}</dd>` : nothing}
          <dt>${credentials.validUntilLabel}</dt><dd>${time(credential.validUntil, credentials.noEnd)}</dd>
          <dt>${credentials.received}</dt><dd>${time(credential.addedAt)}</dd>
          <dt>${credentials.copiesLabel}</dt><dd>${credential.instances}</dd>
        </dl>
      </section>
      ${forExperts(html`<dl class="facts">
        <dt>${credentials.boundTo}</dt>
        <dd>${
          holder.binding === 'none'
            ? credentials.unbound
            : html`${holder.did ?? nothing} ${holder.keyId ? html`<a href=${hrefOf('/keys', { marked: holder.keyId })}>${credentials.itsKey}</a>` : nothing}`
        }</dd>
        <dt>${credentials.issuerAddress}</dt><dd><code>${issuer.id}</code></dd>
        <dt>${credentials.format}</dt><dd><code>${format}</code></dd>
        <dt>${credentials.type}</dt><dd><code>${type}</code></dd>
      </dl>`)}`;
  }
}

define('gw-credential', OneCredential);
