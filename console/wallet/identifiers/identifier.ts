// One identifier: its keys, and its document as it is served.
import { html, nothing, type TemplateResult } from 'lit';
import { copyable } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { ApiError, send } from '../../shared/http.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { time } from '../../shared/time.ts';
import { go } from '../frame.ts';
import { api } from '../session.ts';
import type { Did } from '../types.ts';
import { words } from '../words/index.ts';
import { didActions, stateBadge } from './actions.ts';

/** The document as everybody gets it. Undefined if there is none. */
export async function servedDocument({ documentUrl, state }: Did, signal?: AbortSignal): Promise<object | undefined> {
  const url = documentUrl === undefined ? null : URL.parse(documentUrl);
  if (!url || state !== 'published') return undefined;
  try {
    // By its path: behind a proxy the public address may differ from that of this page.
    return (await send<object>('GET', url.pathname, { signal })).body;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

export function documentCard(did: Did, served: object | undefined): TemplateResult {
  const { identifiers } = words;
  const text = served ? identifiers.served : did.method === 'web' ? identifiers.notServed : identifiers.derived;
  return html`<section class="card"><h2>${identifiers.document}</h2>
    <p>${text} ${served && did.documentUrl ? html`<a href=${did.documentUrl} target="_blank" rel="noopener">${did.documentUrl}</a>` : nothing}</p>
    <pre tabindex="0" role="region" aria-label=${identifiers.document}>${JSON.stringify(served ?? did.document, undefined, 2)}</pre>
  </section>`;
}

class Identifier extends Screen {
  #did: Did | undefined;
  #served: object | undefined;

  heading(): string {
    return this.#did?.alias ?? words.identifiers.one;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#did = await api.get<Did>(`/dids/${part(this.location.params.id!)}`, { signal });
    this.#served = await servedDocument(this.#did, signal);
  }

  protected content(): Content {
    const { identifiers } = words;
    const did = this.#did!;
    return html`<section class="card">
        ${copyable(did.did)}
        <dl class="facts">
          <dt>${identifiers.state}</dt><dd><span class="badge ${stateBadge(did)}">${identifiers.states[did.state]}</span></dd>
          <dt>${identifiers.createdAt}</dt><dd>${time(did.createdAt)}</dd>
          ${did.publishedAt && did.method === 'web' ? html`<dt>${identifiers.publishedAt}</dt><dd>${time(did.publishedAt)}</dd>` : nothing}
          ${did.unpublishedAt ? html`<dt>${identifiers.withdrawnAt}</dt><dd>${time(did.unpublishedAt)}</dd>` : nothing}
          <dt>${identifiers.version}</dt><dd>${did.versionId}</dd>
          <dt>${identifiers.keys}</dt>
          <dd>${did.keys.map(({ keyId, kid, state }) => html`<div><a href=${hrefOf('/keys', { marked: keyId })}><code>${kid}</code></a> <span class="badge">${(words.keys.states as Record<string, string>)[state] ?? state}</span></div>`)}</dd>
        </dl>
        ${didActions(
          did,
          () => void this.reload(),
          () => void go('/identifiers'),
        )}
      </section>
      ${documentCard(did, this.#served)}`;
  }
}

define('gw-identifier', Identifier);
