// How exchanges are named in the history.
import { nameOf, shortType } from '../display.ts';
import { shownPeer } from '../peer.ts';
import type { Exchange } from '../types.ts';
import { words } from '../words/index.ts';

export function peerName({ summary: { name, proof, responseUri }, peer }: Exchange): string {
  const address = responseUri ?? peer;
  return address === undefined ? (name ?? words.history.somebody) : shownPeer(name, address, proof).heading;
}

/** The kinds of credentials that were offered or shown. */
export function subjectOf({ summary: { offered = [], presented = [] } }: Exchange): string {
  const kinds = [
    ...offered.map(({ displays, configurationId }) => nameOf(displays, configurationId)),
    ...presented.flatMap(({ type }) => (type === undefined ? [] : shortType(type))),
  ];
  return [...new Set(kinds)].join(', ');
}

export const stateName = ({ state }: Exchange): string => (words.history.states as Record<string, string>)[state] ?? state;

export const stateBadge = ({ state, finished }: Exchange): string =>
  ['issued', 'submitted'].includes(state) ? 'good' : ['failed', 'expired'].includes(state) ? 'bad' : finished ? '' : 'warn';
