// Binds a sign-in to the browser in which the person proved who they are. Whoever began it elsewhere knows the cookies that the library sets
// at the beginning, and may plant them in the browser of somebody else: from a neighbouring host, or over plain http. So the browser gets
// another secret with each proof, and only who has it goes on with the sign-in or collects the session.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** Nobody else can set a cookie with such a name: with https, browsers take it from this very host only. */
export const browserCookie = (issuer: string, interactionId: string): string =>
  `${issuer.startsWith('https:') ? '__Host-' : ''}gatehouse_browser_${interactionId.slice(0, 16)}`;

export const newBrowserSecret = (): string => randomBytes(32).toString('base64url');

export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

export const isSecretOf = (hash: string, secret: string): boolean => {
  const [is, shall] = [Buffer.from(hashOfSecret(secret)), Buffer.from(hash)];
  return is.length === shall.length && timingSafeEqual(is, shall);
};
