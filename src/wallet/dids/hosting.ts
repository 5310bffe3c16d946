// The host of did:web DIDs, and the address of a document.
import { isIP } from 'node:net';
import { NODE_NAME } from '../publication/index.ts';

/** did:web does not allow IP addresses. A node without a host name uses localhost. */
export function hostOf(publicUrl: string): string {
  const { hostname, port } = new URL(publicUrl);
  const name = isIP(hostname.replace(/^\[|\]$/g, '')) ? 'localhost' : hostname.toLowerCase();
  return port === '' ? name : `${name}:${port}`;
}

export const urlOfName = (publicUrl: string, name: string): string =>
  name === NODE_NAME ? `${publicUrl}/.well-known/did.json` : `${publicUrl}/dids/${name}/did.json`;
