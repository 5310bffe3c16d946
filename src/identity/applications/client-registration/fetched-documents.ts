// The documents that are client ids: fetched by the guarded client, checked, and kept for a while. Errors are not kept, as the draft says; limits by
// address and by host see to it that nobody sends the service to fetch again and again.
import type { Clock } from '../../../platform/clock.ts';
import { inBackground, untilDeadline } from '../../../platform/deadline.ts';
import { Fault } from '../../../platform/faults/index.ts';
import { addressKey, type Throttle } from '../../../platform/limits/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import { type Outbound, type OutboundAnswer, OutboundError } from '../../../platform/outbound/index.ts';
import { fail } from '../../ground/faults.ts';
import { REGISTERED_SCOPES } from '../../ground/settings/index.ts';
import type { NewConsumer } from '../consumers/index.ts';
import { type Metadata, readMetadata } from './metadata.ts';
import type { Policy } from './policy.ts';

/** The draft recommends 5 kilobytes (6.6). */
const LIMITS = { kind: 'client-document', timeoutMs: 5000, maxBytes: 5 * 1024, accept: ['application/json'] } as const;
const MINUTE_MS = 60_000;
const USUAL_MS = 10 * MINUTE_MS;
const LONGEST_MS = 24 * 60 * MINUTE_MS;
const KEPT = 500;
const AT_ONCE = 10;
/** Fetches for one address. */
export const FETCHES_LIMIT = { attempts: 60, perSeconds: 600 };
/** From one host, whoever asks: more, or one stranger could use up what everybody needs of a host with many applications. */
export const HOST_FETCHES_LIMIT = { attempts: 600, perSeconds: 600 };

/** All that any domain could allow. What the domain of the person allows is asked when they are known. */
const ANY_POLICY: Policy = {
  mode: 'off',
  documents: 'allowed',
  redirects: ['https', 'loopback'],
  grants: ['authorization_code', 'refresh_token'],
  scopes: REGISTERED_SCOPES,
  limit: 0,
  days: 0,
};

/** How often documents are fetched. */
export interface DocumentFetches {
  readonly byAddress: Throttle;
  readonly byHost: Throttle;
}

export interface FetchDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly outbound: Outbound;
  readonly fetches: DocumentFetches;
  /** Refuses names that look like others. */
  checkName(body: NewConsumer): Promise<void>;
}

/** For how long it may be kept. */
function lifetimeOf({ headers }: OutboundAnswer): number {
  const control = String(headers['cache-control'] ?? '');
  if (/\bno-(?:store|cache)\b/i.test(control)) return MINUTE_MS;
  const age = /\bmax-age=(\d{1,9})\b/i.exec(control)?.[1];
  return age === undefined ? USUAL_MS : Math.min(Math.max(Number(age) * 1000, MINUTE_MS), LONGEST_MS);
}

function parse(answer: OutboundAnswer): Metadata {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(answer.body);
  const value = JSON.parse(text) as unknown;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypeError('it is no object');
  return value as Metadata;
}

const refuse = (field: string, why: string): never => fail('oauth.invalid_client_metadata', { field, why });

/** Nobody here and the application have a secret in common (5.2). */
function consumerOf(clientId: string, document: Metadata): NewConsumer {
  if (document.client_id !== clientId) refuse('client_id', 'it is not the address of the document');
  for (const field of ['client_secret', 'client_secret_expires_at'])
    if (document[field] !== undefined) refuse(field, 'a document has none');
  const { token_endpoint_auth_method: method = 'none', client_name: name = new URL(clientId).hostname } = document;
  if (method !== 'none' && method !== 'private_key_jwt')
    refuse('token_endpoint_auth_method', 'it must be none or private_key_jwt');
  return readMetadata({ ...document, token_endpoint_auth_method: method, client_name: name }, ANY_POLICY);
}

export function createFetchedDocuments({ clock, log, outbound, fetches, checkName }: FetchDeps) {
  const kept = new Map<string, { readonly body: NewConsumer; readonly until: number }>();
  const underWay = new Map<string, Promise<NewConsumer | 'away' | undefined>>();

  function keep(clientId: string, body: NewConsumer, until: number): void {
    kept.delete(clientId);
    kept.set(clientId, { body, until });
    if (kept.size > KEPT) kept.delete(kept.keys().next().value!);
  }

  async function fetchDocument(clientId: string): Promise<NewConsumer | 'away' | undefined> {
    try {
      const answer = await outbound({ ...LIMITS, accept: [...LIMITS.accept], method: 'GET', url: clientId });
      if (answer.status >= 500) return 'away';
      if (answer.status !== 200) throw new TypeError(`the answer has the status ${answer.status}`);
      const body = consumerOf(clientId, parse(answer));
      await checkName(body);
      keep(clientId, body, clock.now() + lifetimeOf(answer));
      return body;
    } catch (error) {
      const isAway = error instanceof OutboundError && (error.kind === 'timeout' || error.kind === 'failed');
      const isTheirs =
        error instanceof OutboundError || error instanceof Fault || error instanceof TypeError || error instanceof SyntaxError;
      if (!isTheirs) throw error;
      // Whoever makes the application looks for why it is refused.
      log.info({ err: error, client: clientId }, 'the document of an application cannot be used');
      return isAway ? 'away' : undefined;
    }
  }

  return {
    /**
     * Undefined: it cannot be used. `away`: its host does not answer, or it was asked for too often. `isLatest`: of what is kept here; another process
     * may have read it later.
     */
    async read(
      clientId: string,
      address: string,
      isLatest: (body: NewConsumer) => boolean = () => true,
    ): Promise<NewConsumer | 'away' | undefined> {
      const known = kept.get(clientId);
      // A clock that was set back must not keep it for long.
      const isGood = known && known.until > clock.now() && known.until <= clock.now() + LONGEST_MS;
      if (isGood && isLatest(known.body)) return known.body;
      const running = underWay.get(clientId);
      if (running) return untilDeadline(running);
      const [from, host] = [addressKey(address), new URL(clientId).host];
      if (underWay.size >= AT_ONCE || !fetches.byAddress.has(from) || !fetches.byHost.has(host)) return 'away';
      fetches.byAddress.take(from);
      fetches.byHost.take(host);
      // For all who wait: it goes on when the request that began it is given up.
      const fetching = inBackground(() => fetchDocument(clientId)).finally(() => underWay.delete(clientId));
      underWay.set(clientId, fetching);
      return untilDeadline(fetching);
    },
  };
}

export type FetchedDocuments = ReturnType<typeof createFetchedDocuments>;
