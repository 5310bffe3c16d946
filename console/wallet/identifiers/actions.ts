// What can be done with an identifier: publish, withdraw, delete.
import { html, nothing, type TemplateResult } from 'lit';
import { confirmAct } from '../../shared/dialog.ts';
import { part } from '../../shared/router.ts';
import { announce } from '../../shared/status.ts';
import { api } from '../session.ts';
import type { Did } from '../types.ts';
import { words } from '../words/index.ts';

export const stateBadge = ({ state }: Did): string => ({ draft: '', published: 'good', unpublished: 'warn' })[state];

export function didActions(did: Did, changed: () => void, removed: () => void): TemplateResult {
  const { identifiers } = words;
  const path = `/dids/${part(did.id)}`;
  const ask = async (options: Parameters<typeof confirmAct>[0], done: string, then: () => void): Promise<void> => {
    if (!(await confirmAct(options))) return;
    announce(done);
    then();
  };
  const publish = (): Promise<void> =>
    ask(
      {
        title: identifiers.publishTitle(did.did),
        text: identifiers.publishText,
        action: identifiers.publish,
        danger: false,
        run: () => api.post(`${path}/publish`),
      },
      identifiers.published,
      changed,
    );
  const withdraw = (): Promise<void> =>
    ask(
      {
        title: identifiers.withdrawTitle(did.did),
        text: identifiers.withdrawText,
        action: identifiers.withdraw,
        run: () => api.post(`${path}/unpublish`),
      },
      identifiers.withdrawn,
      changed,
    );
  const remove = (): Promise<void> =>
    ask(
      {
        title: identifiers.removeTitle(did.did),
        text: identifiers.removeText,
        action: identifiers.remove,
        run: () => api.delete(path),
      },
      identifiers.removed,
      removed,
    );
  const isHosted = did.method === 'web';
  return html`<div class="buttons">
    ${isHosted && did.state !== 'published' ? html`<button type="button" class="second small" @click=${() => void publish()}>${identifiers.publish}</button>` : nothing}
    ${isHosted && did.state === 'published' ? html`<button type="button" class="second danger small" @click=${() => void withdraw()}>${identifiers.withdraw}</button>` : nothing}
    ${isHosted && did.state === 'published' ? nothing : html`<button type="button" class="second danger small" @click=${() => void remove()}>${identifiers.remove}</button>`}
  </div>`;
}
