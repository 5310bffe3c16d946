// The two cookies: the session id, and the state of a login in progress. Both are encrypted.
import type { IncomingHttpHeaders } from 'node:http';
import type { Seal } from '../../platform/seal/index.ts';

export type CookieName = 'session' | 'flow';

/** Seal contexts: one cookie cannot be used as the other. */
const SEAL_CONTEXTS = { session: 'wallet session cookie', flow: 'wallet login cookie' } as const;
const FLOW_PATH = '/api/v1/auth';

/** Our cookies are shorter. */
const MAX_LENGTH = 4000;

function isCanonical(text: string): boolean {
  const bytes = text.slice(text.lastIndexOf('.') + 1);
  return text.split('.').length === 3 && Buffer.from(bytes, 'base64url').toString('base64url') === bytes;
}

export function createCookies(seal: Seal, publicUrl: () => string) {
  const isSecure = (): boolean => publicUrl().startsWith('https:');
  /** With `__Host-` browsers accept the cookie only from this host over TLS. It requires the path `/`. */
  const names = (name: CookieName): string =>
    name === 'session' && isSecure()
      ? '__Host-gatehouse_wallet'
      : name === 'session'
        ? 'gatehouse_wallet'
        : 'gatehouse_wallet_login';
  const attributes = (name: CookieName): string =>
    `Path=${name === 'session' ? '/' : FLOW_PATH}; HttpOnly; SameSite=Lax${isSecure() ? '; Secure' : ''}`;

  return {
    set: (name: CookieName, plain: string, seconds: number): string =>
      `${names(name)}=${seal.seal(Buffer.from(plain), SEAL_CONTEXTS[name])}; Max-Age=${seconds}; ${attributes(name)}`,
    clear: (name: CookieName): string => `${names(name)}=; Max-Age=0; ${attributes(name)}`,
    /** The raw cookie value; undefined if there is none. */
    read({ cookie }: IncomingHttpHeaders, name: CookieName): string | undefined {
      if (cookie === undefined) return undefined;
      const start = `${names(name)}=`;
      for (const part of cookie.split('; ')) if (part.startsWith(start)) return part.slice(start.length);
      return undefined;
    },
    /** The decrypted content; undefined if it is damaged, foreign, or another cookie. */
    open(text: string, name: CookieName): string | undefined {
      // Base64 can encode the same bytes in several ways. Only ours is accepted, because sessions are cached by this text.
      if (text.length > MAX_LENGTH || !isCanonical(text)) return undefined;
      try {
        return seal.open(text, SEAL_CONTEXTS[name]).toString();
      } catch {
        return undefined;
      }
    },
  };
}

export type Cookies = ReturnType<typeof createCookies>;
