// The node itself, for its administrators: its own DID and keys.
import { html } from 'lit';
import { copyable } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { settings } from '../../shared/settings.ts';
import { expertTabs } from '../experts.ts';
import { stateBadge } from '../identifiers/actions.ts';
import { documentCard, servedDocument } from '../identifiers/identifier.ts';
import { keyCard } from '../keys/key-card.ts';
import { api } from '../session.ts';
import type { Did, Key } from '../types.ts';
import { words } from '../words/index.ts';

interface DidWithDocument {
  readonly did: Did;
  readonly served: object | undefined;
}

class Node extends Screen {
  #dids: readonly DidWithDocument[] = [];
  #keys: readonly Key[] = [];

  heading(): string {
    return words.node.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const { dids, keys } = await api.get<{ dids: readonly Did[]; keys: readonly Key[] }>('/node', { signal });
    this.#dids = await Promise.all(dids.map(async (did) => ({ did, served: await servedDocument(did, signal) })));
    this.#keys = [...keys].reverse();
  }

  protected content(): Content {
    const { node, identifiers } = words;
    return html`${expertTabs('node')}<p>${node.text} <span class="soft">${node.version(settings.version)}</span></p>
      ${this.#dids.map(
        ({ did, served }) => html`<section class="card">
          <header><h2>${node.did}</h2><span class="badge ${stateBadge(did)}">${identifiers.states[did.state]}</span></header>
          ${copyable(did.did)}
        </section>
        ${documentCard(did, served)}`,
      )}
      <div class="cards wide">${this.#keys.map((key) => keyCard(key, () => void this.reload()))}</div>`;
  }
}

define('gw-node', Node);
