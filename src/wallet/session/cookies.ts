// The two cookies: a session id that only we can open, and the login that is under way. Neither says anything to whoever has it.
import type { IncomingHttpHeaders } from 'node:http';
import type { Seal } from '../../platform/seal/index.ts';

export type CookieName = 'session' | 'flow';

/** What a text is sealed for: one cookie put in the place of the other does not open. */
const SEAL_CONTEXTS = { session: 'wallet session cookie', flow: 'wallet login cookie' } as const;
const FLOW_PATH = '/api/v1/auth';

/** Longer ones are not ours. */
const MAX_LENGTH = 4000;

function isCanonical(text: string): boolean {
  const bytes = text.slice(text.lastIndexOf('.') + 1);
  return text.split('.').length === 3 && Buffer.from(bytes, 'base64url').toString('base64url') === bytes;
}

export function createCookies(seal: Seal, publicUrl: () => string) {
  const isSecure = (): boolean => publicUrl().startsWith('https:');
  /** `__Host-` makes browsers refuse it from anybody but this very host, over TLS. It demands the path `/`. */
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
    /** The text as it came; undefined when there is none. */
    read({ cookie }: IncomingHttpHeaders, name: CookieName): string | undefined {
      if (cookie === undefined) return undefined;
      const start = `${names(name)}=`;
      for (const part of cookie.split('; ')) if (part.startsWith(start)) return part.slice(start.length);
      return undefined;
    },
    /** What was sealed in it; undefined for everything that is not whole, ours, and meant for this. */
    open(text: string, name: CookieName): string | undefined {
      // Base64 has many spellings of the same bytes; ours is one. Sessions are remembered by this text.
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
