// Who it is, on the page: the host, the name, and whether that is verified.
import { html, nothing, type TemplateResult } from 'lit';
import type { ShownPeer } from './peer.ts';
import { logoPicture } from './strangers.ts';
import type { Logo } from './types.ts';
import { words } from './words/index.ts';

export function verifiedBadge({ isVerified, name }: ShownPeer): TemplateResult {
  const { peers } = words;
  if (isVerified) return html`<span class="badge good">${peers.verified}</span>`;
  return html`<span class="badge warn">${name === undefined ? peers.addressOnly : peers.notVerified}</span>`;
}

/** In one line, such as on a card. */
export const peerLine = ({ host, name }: ShownPeer): TemplateResult =>
  html`<bdi>${host}</bdi>${name === undefined ? nothing : html` <span class="soft">(<bdi>${name}</bdi>)</span>`}`;

/** `proof`: how it proved who it is, as a sentence. */
export const peerCard = (
  peer: ShownPeer,
  proof: string,
  { logo, isBad = false }: { logo?: Logo; isBad?: boolean } = {},
): TemplateResult =>
  html`<div class="peer">
      ${logoPicture(logo)}
      <p class="peer-host"><bdi>${peer.host}</bdi> ${verifiedBadge(peer)}</p>
      ${
        peer.name === undefined
          ? nothing
          : html`<p class="peer-name">${peer.isVerified ? words.peers.name : words.peers.callsItself} <q><bdi>${peer.name}</bdi></q></p>`
      }
    </div>
    <p class=${isBad ? 'bad' : 'soft'}>${proof}</p>`;
