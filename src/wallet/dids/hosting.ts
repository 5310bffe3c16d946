// Where documents of did:web are: the host in the DID, and the address of a name.
import { isIP } from 'node:net';
import { NODE_NAME } from '../publication/index.ts';

/** did:web has no addresses for hosts: a node that has no name yet is called localhost. */
export function hostOf(publicUrl: string): string {
  const { hostname, port } = new URL(publicUrl);
  const name = isIP(hostname.replace(/^\[|\]$/g, '')) ? 'localhost' : hostname.toLowerCase();
  return port === '' ? name : `${name}:${port}`;
}

export const urlOfName = (publicUrl: string, name: string): string =>
  name === NODE_NAME ? `${publicUrl}/.well-known/did.json` : `${publicUrl}/dids/${name}/did.json`;
