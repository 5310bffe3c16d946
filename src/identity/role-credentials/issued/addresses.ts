// Where the lists are published.
import type { StatusListRow } from '../../ground/database/index.ts';

export const LISTS = '/openid/status-lists';

/** Token Status List. */
export const listAddress = (issuer: string, id: string): string => `${issuer}${LISTS}/${id}`;

/** Bitstring Status List: one for each purpose, because an entry of it is one bit. */
export const PURPOSES = ['revocation', 'suspension'] as const;
export type Purpose = (typeof PURPOSES)[number];
export const bitstringAddress = (issuer: string, id: string, purpose: Purpose): string =>
  `${listAddress(issuer, id)}/${purpose === 'revocation' ? 'bitstring' : 'suspension'}`;

/** The id in the address of a list of ours, in any of its forms. */
export function listIdIn(issuer: string, address: string): string | undefined {
  const start = `${issuer}${LISTS}/`;
  const [, id] = address.startsWith(start)
    ? (/^([\da-f]{32})(?:\/bitstring|\/suspension)?$/.exec(address.slice(start.length)) ?? [])
    : [];
  return id;
}

export const tagOfList = ({ id }: Pick<StatusListRow, 'id'>): string => `status-list:${id}`;
