// How exchanges are named in the history.
import { labelOf, nameOf } from '../display.ts';
import { hostOf, type ShownPeer, shownPeer } from '../peer.ts';
import { shortened } from '../strangers.ts';
import type { Exchange, SharedCredential } from '../types.ts';
import { words } from '../words/index.ts';

const MAX = 300;

export function peerOf({ summary: { name, proof, responseUri }, peer }: Exchange): ShownPeer {
  const address = responseUri ?? peer;
  return address === undefined ? { host: words.history.somebody, isVerified: false } : shownPeer(name, address, proof);
}

export const peerName = (exchange: Exchange): string => peerOf(exchange).host;

export const sharedName = ({ displays = [], type, credentialId }: SharedCredential): string =>
  nameOf(displays, type ?? credentialId);

/** The claims that were shown, in the words of the issuer. */
export const sharedClaims = ({ disclosed, labels = [] }: SharedCredential): string =>
  shortened(disclosed.map((path) => labelOf(path, labels)).join(', '), MAX) || words.share.noClaims;

/** The kinds of credentials that were offered or shown. */
export function subjectOf({ summary: { offered = [], presented = [] } }: Exchange): string {
  const kinds = [
    ...offered.map(({ displays, configurationId }) => nameOf(displays, configurationId)),
    ...presented.map(sharedName),
  ];
  return shortened([...new Set(kinds)].join(', '), MAX);
}

/** What an exchange came to, in a sentence. */
export function outcomeOf(exchange: Exchange): string {
  const { history } = words;
  const { state, protocol, summary } = exchange;
  const about = subjectOf(exchange) || history.somethingElse;
  if (state === 'issued') return history.gave(about);
  if (state === 'submitted')
    return (
      (summary.presented ?? []).map((one) => history.got(sharedName(one), sharedClaims(one))).join(' ') || history.got(about, '')
    );
  return protocol === 'oid4vci' ? history.offered(about) : history.asked;
}

export const stateName = ({ state }: Exchange): string => (words.history.states as Record<string, string>)[state] ?? state;

export const stateBadge = ({ state, finished }: Exchange): string =>
  ['issued', 'submitted'].includes(state) ? 'good' : ['failed', 'expired'].includes(state) ? 'bad' : finished ? '' : 'warn';

export const partyOf = ({ party, ...exchange }: Exchange): string => party ?? hostOf(peerName(exchange));
