// Binds a sign-in to the browser in which the person proved who they are. Whoever began it elsewhere knows the cookies that the library sets
// at the beginning, and may plant them in the browser of somebody else: from a neighbouring host, or over plain http. So the browser gets
// another secret with each proof, and only who has it goes on with the sign-in or collects the session.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** How many sign-ins at the same time a browser remembers. All its cookies come with each request, and too many would be refused. */
const MOST_REMEMBERED = 25;

/** Nobody else can set a cookie with such a name: with https, browsers take it from this very host only. */
const prefixOf = (issuer: string): string => `${issuer.startsWith('https:') ? '__Host-' : ''}gatehouse_browser_`;

export const browserCookie = (issuer: string, interactionId: string): string => prefixOf(issuer) + interactionId.slice(0, 16);

/** The cookies of sign-ins that have to make room for this one. Browsers send the oldest first. */
export function outdatedCookies(header: string | undefined, issuer: string, interactionId: string): string[] {
  const names = (header ?? '').split(';').map((part) => part.split('=', 1)[0]!.trim());
  const others = names.filter((name) => name.startsWith(prefixOf(issuer)) && name !== browserCookie(issuer, interactionId));
  return others.slice(0, Math.max(0, others.length - MOST_REMEMBERED));
}

/** The newest, and the one before: what came with the newest may not have been stored. */
export const secretsIn = (cookie: string | undefined): string[] =>
  (cookie ?? '').split('.', 2).filter((secret) => /^[\w-]{43}$/.test(secret));

export const cookieOf = (secret: string, before: string | undefined): string =>
  [secret, ...secretsIn(before).slice(0, 1)].join('.');

export const newBrowserSecret = (): string => randomBytes(32).toString('base64url');

export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

export const isSecretOf = (hash: string, secret: string): boolean => {
  const [is, shall] = [Buffer.from(hashOfSecret(secret)), Buffer.from(hash)];
  return is.length === shall.length && timingSafeEqual(is, shall);
};
