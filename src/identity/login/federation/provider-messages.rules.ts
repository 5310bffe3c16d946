// What travels by reference: request objects that a provider reads from us, and answers of providers that a browser posts (OAuth 2.0 Form Post Response Mode). The form comes from the page of the provider, so that it has no cookie
// of ours: who sent it is not known yet. It is put aside, and the browser goes on with a reference to it, by GET and with its cookies.
import { createHash } from 'node:crypto';
import { seconds } from '../../../platform/clock.ts';
import { newSecret } from '../../../platform/ids.ts';
import type { ResponseMode } from '../../../platform/openid-client/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { deleteEndedMessages, findMessage, insertMessage, takeMessage } from './provider-messages.store.ts';

/** A browser follows a redirect at once. */
const KEPT_SECONDS = 120;
/** A provider reads the request when the browser arrives. */
const PUBLISHED_SECONDS = 300;
/** A request object is read by whoever has its reference. An answer is not, so that neither reference is good for the other. */
const requestId = (reference: string): string => hashOf(`request ${reference}`);
const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
const sealContext = (id: string): string => `provider_messages/${id}`;

/** What a provider answered, and how it came. */
export interface ReturnedAnswer {
  readonly answer: URLSearchParams;
  readonly mode: ResponseMode;
}

export function createProviderMessages({ db, clock, seal }: Pick<Deps, 'db' | 'clock'> & { readonly seal: Seal }) {
  return {
    /**
     * Keeps an answer whose state somebody waits for; the caller has found that out. Returns the reference to it; undefined if there is an
     * answer with this state already.
     */
    async keep(providerId: string, state: string, answer: URLSearchParams): Promise<string | undefined> {
      const reference = newSecret();
      const id = hashOf(reference);
      const row = {
        id,
        about: hashOf(state),
        provider_id: providerId,
        sealed: seal.seal(Buffer.from(answer.toString()), sealContext(id)),
        expires_at: seconds(clock) + KEPT_SECONDS,
      };
      return (await db.write((tx) => insertMessage(tx, row))) ? reference : undefined;
    },

    /** Puts a request object where the provider reads it (RFC 9101, 5.2). Returns the reference. */
    async publish(providerId: string, state: string, object: string): Promise<string> {
      const reference = newSecret();
      const id = requestId(reference);
      const row = {
        id,
        about: hashOf(`request ${state}`),
        provider_id: providerId,
        sealed: seal.seal(Buffer.from(object), sealContext(id)),
        expires_at: seconds(clock) + PUBLISHED_SECONDS,
      };
      await db.write((tx) => insertMessage(tx, row));
      return reference;
    },

    /** A request object that the provider asks for, perhaps several times. */
    async published(providerId: string, reference: string): Promise<string | undefined> {
      const row = await findMessage(db.read, { id: requestId(reference), providerId, now: seconds(clock) });
      return row && seal.open(row.sealed, sealContext(row.id)).toString();
    },

    /** The answer in the address of a page to which the browser was led: all of it, or the reference to it, which is good once. */
    async answerIn(query: URLSearchParams): Promise<ReturnedAnswer> {
      const reference = query.get('answer');
      if (reference === null) return { answer: query, mode: 'query' };
      const named = { id: hashOf(reference), providerId: query.get('provider') ?? '', now: seconds(clock) };
      const row = await db.write((tx) => takeMessage(tx, named));
      const answer = new URLSearchParams(row && seal.open(row.sealed, sealContext(row.id)).toString());
      if (row) answer.set('provider', row.provider_id);
      return { answer, mode: 'form_post' };
    },

    sweep: (): Promise<number> => db.write((tx) => deleteEndedMessages(tx, seconds(clock))),
  };
}

export type ProviderMessages = ReturnType<typeof createProviderMessages>;
