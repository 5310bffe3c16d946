// A link proves that its user reads a mailbox. It ends when it is used, when it expires, when the next one of its purpose is made, and when
// the password or the e-mail address of its user changes.
import { createHash } from 'node:crypto';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { newSecret } from '../../../platform/ids.ts';
import type { Change } from '../audit/index.ts';
import type { Database, LinkRow } from '../database/index.ts';
import { deleteLink, deleteLinksOfUser, findLink, putLink, sweepLinks, takeLink } from './links.store.ts';

export type Purpose = 'confirm-email' | 'reset-password' | 'invitation' | 'change-email';

export interface NewLink {
  readonly purpose: Purpose;
  /** The link also ends when this user's password or e-mail address changes, and when the user is disabled or deleted. */
  readonly userId?: string | undefined;
  /** Where it is sent. The action that the link allows must use this address, not one that was read later. */
  readonly address: string;
  /** A new link replaces the former one of the same `about`, for example an invitation's id. By default of the same user or address. */
  readonly about?: string | undefined;
  /** Stored in plain text: no secrets. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** GATEHOUSE_IDENTITY_LINK_SECONDS by default. */
  readonly seconds?: number | undefined;
}

export interface Link {
  readonly purpose: Purpose;
  readonly userId: string | undefined;
  readonly address: string;
  readonly about: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
  /** Seconds since 1970. */
  readonly expiresAt: number;
}

const TOKEN = /^[\w-]{43}$/;
const ABOUT = 'about:';

/** Includes the purpose, so that a token is not found for another one. */
const hashOf = (token: string, purpose: Purpose): string =>
  createHash('sha256').update(`${purpose}\0${token}`).digest('base64url');

const aboutSubject = (about: string): string => ABOUT + about;
const subjectOf = ({ about, userId, address }: NewLink): string =>
  about !== undefined ? aboutSubject(about) : userId !== undefined ? `user:${userId}` : `address:${address.toLowerCase()}`;

function linkOf({ purpose, user_id, address, subject, data, expires_at }: LinkRow): Link {
  return {
    purpose: purpose as Purpose,
    userId: user_id ?? undefined,
    address,
    about: subject.startsWith(ABOUT) ? subject.slice(ABOUT.length) : undefined,
    data: JSON.parse(data) as Link['data'],
    expiresAt: expires_at,
  };
}

export function createLinks({
  db,
  clock,
  config,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly config: { readonly linkSeconds: number };
}) {
  return {
    /** Returns the token for the URL, which is not stored. Ends the former link of the same purpose and subject. */
    async make({ tx }: Change, link: NewLink): Promise<string> {
      const [token, now] = [newSecret(), seconds(clock)];
      await putLink(tx, {
        token_hash: hashOf(token, link.purpose),
        purpose: link.purpose,
        subject: subjectOf(link),
        user_id: link.userId ?? null,
        address: link.address,
        data: JSON.stringify(link.data ?? {}),
        created_at: now,
        expires_at: now + (link.seconds ?? config.linkSeconds),
      });
      return token;
    },

    /** For the page that the link opens. Changes nothing, so that mail scanners which open links do no harm. */
    async find(text: string, purpose: Purpose): Promise<Link | undefined> {
      const row = TOKEN.test(text) ? await findLink(db.read, hashOf(text, purpose), seconds(clock)) : undefined;
      return row && linkOf(row);
    },

    /**
     * Call it in the transaction of the action that the link allows: if that is rolled back, the link stays valid. Of concurrent requests, one
     * gets the link, and the others get undefined.
     */
    async use({ tx }: Change, text: string, purpose: Purpose): Promise<Link | undefined> {
      const row = TOKEN.test(text) ? await takeLink(tx, hashOf(text, purpose), seconds(clock)) : undefined;
      return row && linkOf(row);
    },

    /** Ends the links of a user: of these purposes, or all. Returns how many there were. */
    endOf: ({ tx }: Change, userId: string, purposes?: readonly Purpose[]): Promise<number> =>
      deleteLinksOfUser(tx, userId, purposes),

    /** Ends the link with this `about`. Returns false if there was none. */
    endAbout: ({ tx }: Change, purpose: Purpose, about: string): Promise<boolean> => deleteLink(tx, purpose, aboutSubject(about)),

    sweep: (): Promise<number> => sweepLinks(db, seconds(clock)),
  };
}

export type Links = ReturnType<typeof createLinks>;

/** The token is in the query. Proxies may log it; it works once, and nobody but the reader of the mail sees it before. */
export const linkTo = (issuer: string, page: string, token: string): string => `${issuer}${page}?token=${token}`;
