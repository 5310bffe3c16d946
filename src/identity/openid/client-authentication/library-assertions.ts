// The assertion that the library of the provider gets instead of the one that a client has sent, once that was checked. It is signed by a key
// that only this process has: what was not checked here has no such signature, and the library refuses it.
import { generateKeyPairSync } from 'node:crypto';
import { newSecret } from '../../../platform/ids.ts';
import { signJws, signWith } from '../../../verifiable/jose/index.ts';
import { authenticationStamp } from '../../applications/consumers/index.ts';

const SECONDS = 60;

type Client = Parameters<typeof authenticationStamp>[0] & { readonly id: string };

export function createLibraryAssertions(issuer: () => string) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const jwk = publicKey.export({ format: 'jwk' });
  /** Of this process: no client registers a key of this name. */
  const prefix = `checked here, ${newSecret()}, `;
  /** Names the registration that was checked: if it has changed since, the library finds no such key. */
  const kidOf = (client: Client): string => `${prefix}${authenticationStamp(client)}`;
  return {
    /** What a client has signed itself was not checked here. */
    isOwn: (kid: unknown): boolean => typeof kid === 'string' && kid.startsWith(prefix),
    keyFor: (client: Client) => ({ ...jwk, kid: kidOf(client), alg: 'EdDSA', use: 'sig' }),

    /** By the clock of the library, which is that of the machine. */
    make(client: Client): Promise<string> {
      const now = Math.floor(Date.now() / 1000);
      return signJws(
        { alg: 'EdDSA', kid: kidOf(client) },
        { iss: client.id, sub: client.id, aud: issuer(), iat: now, exp: now + SECONDS, jti: newSecret() },
        (data) => signWith(privateKey, 'EdDSA', data),
      );
    },
  };
}

export type LibraryAssertions = ReturnType<typeof createLibraryAssertions>;
