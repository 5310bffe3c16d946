// Showing credentials (OID4VP 1.0): from a verifier's request to an answer that holds what was asked for, and nothing else.
import { createHash } from 'node:crypto';
import type { CallbackContext } from '@openid4vc/oauth2';
import type { Clock } from '../../platform/clock.ts';
import { isUniqueViolation } from '../../platform/database/index.ts';
import { Fault } from '../../platform/faults/index.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import type { Caller, RunChange } from '../access/index.ts';
import type { Keeping } from '../credentials/index.ts';
import { ANSWERING, type Exchange, type Exchanges, OVER } from '../exchanges/index.ts';
import { fail } from '../faults.ts';
import type { Formats } from '../formats/index.ts';
import type { Once } from '../resource/index.ts';
import type { Trust } from '../trust/index.ts';
import { answerKeyOf, sendAnswer, sendRefusal } from './answer.ts';
import type { Told } from './disclosed.ts';
import { createPauses } from './pauses.ts';
import type { PresentationAnswer, PresentationRequest, Verifier } from './presentation.schema.ts';
import {
  canConfirm,
  chooseQueries,
  isAnswerable,
  isRequired,
  type Matching,
  parseQuery,
  type Query,
  type QueryMatches,
} from './query.ts';
import { type Fetched, type Opened, openRequest } from './request.ts';
import { readTransactionData, type TransactionData } from './transaction-data.ts';
import { type VerifierRules, verifierOf } from './verifier.ts';
import { createUnderstood, type Understood } from './vp-formats.ts';
import { type Asking, createVpTokens, type Made } from './vp-token.ts';

const PROTOCOL = 'oid4vp';
/** What the caller can mend: the exchange waits for them. */
const MENDABLE = ['selection-does-not-match', 'preview-required'];
/** Nobody waits longer for an answer. */
const REMEMBERED_STATES = [ANSWERING, ...OVER];
/** Paths a preview names before it leaves matches out. */
const MAX_TOLD = 20_000;

interface PresentationData {
  readonly uri: string;
  /** What the verifier gave when it was asked: what is answered is what was previewed. */
  readonly fetched?: Fetched;
  readonly question: string;
  /** What the caller was told at the end, for whoever asks again with the same Idempotency-Key. */
  readonly answer?: PresentationAnswer;
}

type Running = Exchange<PresentationData>;

/** Everything that is known before anything is chosen. */
interface Asked extends Asking {
  readonly verifier: Verifier;
  readonly query: Query;
  readonly transactionData: TransactionData | undefined;
  readonly understood: Understood;
}

/** Undoes a change. */
class CopyGone extends Error {}
/** Answers made before giving up, where other processes of the same wallet use up the copies each time. */
const MAX_TRIES = 5;

interface Foreseen {
  readonly credentialId: string;
  readonly disclosed: Told;
}

/** What a refusal of ours is called in the protocol. */
const WORDS: Readonly<Record<string, string>> = {
  'no-matching-credential': 'access_denied',
  'unsupported-transaction-data': 'invalid_transaction_data',
  'invalid-presentation-request': 'invalid_request',
};

const wordOf = ({ code, detail }: Fault): string | undefined =>
  Object.hasOwn(WORDS, code)
    ? ((detail as { protocol?: { error?: string } } | undefined)?.protocol?.error ?? WORDS[code])
    : undefined;

export function createPresentations(deps: {
  clock: Clock;
  change: RunChange;
  outbound: Outbound;
  exchanges: Exchanges;
  keeping: Keeping;
  formats: Formats;
  matching: Matching;
  trust: Trust;
  callbacks: CallbackContext;
  rules: VerifierRules & { readonly requirePreview: boolean; readonly transactionDataTypes: readonly string[] };
}) {
  const { clock, change, outbound, exchanges, keeping, formats, matching, trust, callbacks, rules } = deps;

  const vpTokens = createVpTokens({ clock, formats, keeping });
  const understoodBy = createUnderstood({ formats, keeping });
  const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url');
  const hashOf = ({ resolved, nonce }: Opened): string => digestOf([resolved.client.effective, nonce]);

  /** All that is asked, without what an honest verifier makes anew each time. */
  function questionOf({ resolved }: Opened): string {
    const { iat, exp, nbf, jti, wallet_nonce, client_metadata, ...rest } = resolved.authorizationRequestPayload as Readonly<
      Record<string, unknown>
    >;
    return digestOf(rest);
  }

  const dataOf = (uri: string, opened: Opened): PresentationData => ({
    uri,
    ...(opened.fetched ? { fetched: opened.fetched } : {}),
    question: questionOf(opened),
  });

  async function begin(caller: Caller, body: PresentationRequest, once: Once): Promise<PresentationAnswer> {
    if (body.uri === undefined) fail('invalid-request', { why: 'give the uri of the request' });
    const opened = await openRequest(body.uri, { callbacks, outbound });
    const requestHash = hashOf(opened);
    const before = await exchanges.findByRequest(caller, PROTOCOL, requestHash);
    if (before && REMEMBERED_STATES.includes(before.state))
      fail('request-already-answered', undefined, { detail: { exchangeId: before.id } });
    const data = dataOf(body.uri, opened);
    if (before) {
      const exchange = await exchanges.takeUp<PresentationData>(caller, before.id, PROTOCOL, once).catch((error: unknown) => {
        // Answered since we looked.
        if (error instanceof Fault && error.code === 'exchange-finished')
          fail('request-already-answered', undefined, { detail: { exchangeId: before.id } });
        throw error;
      });
      if (exchange.data.question !== data.question) {
        await exchanges.release(exchange);
        fail('invalid-presentation-request', { why: 'it asks for something else than before' });
      }
      // What was previewed is what is answered, with the keys and formats the verifier named then.
      return resume(exchange, body);
    }
    const exchange = await exchanges
      .open(caller, PROTOCOL, data, { state: 'requested', peer: opened.resolved.client.effective, requestHash, once })
      .catch((error: unknown) => {
        // The same request, at the same moment: one of them is answered.
        if (isUniqueViolation(error)) fail('request-already-answered');
        throw error;
      });
    exchanges.step(exchange, 'request read', { detail: opened.resolved.client.prefix });
    return work(exchange, opened, body);
  }

  async function goOn(caller: Caller, body: PresentationRequest, once: Once): Promise<PresentationAnswer> {
    return resume(await exchanges.takeUp<PresentationData>(caller, body.exchangeId!, PROTOCOL, once), body);
  }

  async function resume(exchange: Running, body: PresentationRequest): Promise<PresentationAnswer> {
    let opened: Opened;
    try {
      const { uri, fetched } = exchange.data;
      opened = await openRequest(uri, { callbacks, outbound }, fetched);
    } catch (error) {
      await exchanges.release(exchange);
      throw error;
    }
    return work(exchange, opened, body);
  }

  /** A preview can be followed by an answer; everything else ends the exchange, one way or the other. */
  const work = (exchange: Running, opened: Opened, body: PresentationRequest): Promise<PresentationAnswer> =>
    exchanges.during(
      exchange,
      (error) => error instanceof Fault && MENDABLE.includes(error.code),
      async () => {
        const verifier = await verifierOf(opened, { trust, clock, rules });
        exchanges.step(exchange, 'verifier known', { detail: `${verifier.prefix}, ${verifier.trust}` });
        // From here on it is known that the answer's address is the verifier's: it may be told what is wrong.
        try {
          return await answer(exchange, opened, verifier, body);
        } catch (error) {
          const word = error instanceof Fault ? wordOf(error) : undefined;
          if (word !== undefined) await sendRefusal(outbound, opened, word);
          throw error;
        }
      },
    );

  async function answer(
    exchange: Running,
    opened: Opened,
    verifier: Verifier,
    body: PresentationRequest,
  ): Promise<PresentationAnswer> {
    const { resolved } = opened;
    if (body.action === 'reject') return reject(exchange, opened, verifier);
    if (!resolved.dcql) fail('invalid-presentation-request', { why: 'it does not ask with DCQL' });
    const query = await parseQuery(resolved.dcql.query);
    const asked: Asked = {
      opened,
      verifier,
      query,
      transactionData: readTransactionData(
        resolved.authorizationRequestPayload as Record<string, unknown>,
        rules.transactionDataTypes,
        query.credentials.map(({ id }) => id),
      ),
      key: await answerKeyOf(opened),
      understood: understoodBy(opened),
    };
    if (body.preview) return preview(exchange, asked, body);
    if (rules.requirePreview && !exchange.steps.some(({ step }) => step === 'preview shown')) fail('preview-required');
    return submit(exchange, asked, body);
  }

  async function reject(exchange: Running, opened: Opened, verifier: Verifier): Promise<PresentationAnswer> {
    // Written down first, as an answer is: whoever lost the exchange to another does not refuse what that one answers.
    exchange.state = ANSWERING;
    await exchanges.save(exchange);
    const redirectUri = await sendRefusal(outbound, opened, 'access_denied');
    exchanges.step(exchange, 'rejected');
    return conclude(exchange, {
      status: 'rejected',
      exchangeId: exchange.id,
      verifier,
      ...(redirectUri === undefined ? {} : { redirectUri }),
    });
  }

  /** The verifier has its answer. */
  async function conclude(
    exchange: Running,
    answer: PresentationAnswer & { status: 'submitted' | 'rejected' },
  ): Promise<PresentationAnswer> {
    const { uri, question } = exchange.data;
    exchange.data = { uri, question, answer };
    await change(exchange.caller, exchange.owner, (inside) => exchanges.end(exchange, answer.status, inside, { keep: true }));
    return answer;
  }

  /** The same request once more: what it came to, or how it goes on. */
  async function again(caller: Caller, id: string, body: PresentationRequest, once: Once): Promise<PresentationAnswer> {
    const row = await exchanges.find(caller, id);
    const answer =
      OVER.includes(row.state) && row.sealed !== null && exchanges.revived<PresentationData>(row, caller).data.answer;
    return answer || proceed(caller, body, once);
  }

  const proceed = (caller: Caller, body: PresentationRequest, once: Once): Promise<PresentationAnswer> =>
    body.exchangeId === undefined ? begin(caller, body, once) : goOn(caller, body, once);

  const selectionOf = ({ credentialIds, selection }: PresentationRequest) => ({ all: credentialIds, by: selection });

  /** What would be shown, and what the verifier would learn from it. One match for each query, others while there is room. */
  async function foreseen(asked: Asked, results: readonly QueryMatches[]) {
    const pause = createPauses();
    const seen: Foreseen[][] = [];
    let told = 0;
    for (const { matches } of results) {
      const own: Foreseen[] = [];
      for (const match of matches) {
        if (told > MAX_TOLD && own.length > 0) break;
        await pause();
        const disclosed = await vpTokens.disclosedIn(asked, match);
        told += disclosed.length;
        own.push({ credentialId: match.candidate.row.id, disclosed });
      }
      seen.push(own);
    }
    return seen;
  }

  async function preview(exchange: Running, asked: Asked, body: PresentationRequest): Promise<PresentationAnswer> {
    const { query, verifier, transactionData, understood } = asked;
    const results = await matching.match(exchange.caller, query, selectionOf(body), false, understood);
    const seen = await foreseen(asked, results);
    exchanges.step(exchange, 'preview shown');
    await exchanges.release(exchange);
    return {
      status: 'preview',
      exchangeId: exchange.id,
      verifier,
      query: results.map(({ id, format, claims }, at) => ({
        id,
        format,
        required: isRequired(query, id),
        claims: claims.map((path) => [...path]),
        matches: seen[at]!,
      })),
      ...(transactionData ? { transactionData: [...transactionData.shown] } : {}),
      satisfiable: chooseQueries(query, results, []) !== undefined,
    };
  }

  async function submit(exchange: Running, asked: Asked, body: PresentationRequest): Promise<PresentationAnswer> {
    const { opened, query, verifier, understood } = asked;
    const { caller } = exchange;
    const results = await matching.match(caller, query, selectionOf(body), true, understood);
    const chosen = chooseQueries(query, results, Object.keys(body.selection ?? {}));
    if (!chosen && !isAnswerable(query, understood))
      fail('no-matching-credential', undefined, { detail: { protocol: { error: 'vp_formats_not_supported' } } });
    if (!chosen)
      fail(body.selection || body.credentialIds ? 'selection-does-not-match' : 'no-matching-credential', {
        why: 'what is selected does not answer the request',
      });
    const shown = results
      .filter(({ id }) => chosen.includes(id))
      .map((result) => ({ result, matches: result.multiple ? result.matches : result.matches.slice(0, 1) }));
    const confirmed = asked.transactionData?.confirmedBy(
      shown.flatMap(({ result, matches }) => (canConfirm(matches) ? result.id : [])),
    );
    let made = await vpTokens.make(asked, shown, confirmed);
    exchanges.step(exchange, 'answer made', { detail: shown.map(({ result }) => result.id).join(', ') });
    try {
      const redirectUri = await sendAnswer(outbound, opened, async () => {
        for (let tries = 1; !(await use(exchange, made)); tries++) {
          if (tries === MAX_TRIES) fail('exchange-busy', undefined, { detail: { exchangeId: exchange.id } });
          made.putBack();
          made = await vpTokens.make(asked, shown, confirmed);
        }
        return made.form;
      });
      exchanges.step(exchange, 'answer accepted');
      return await conclude(exchange, {
        status: 'submitted',
        exchangeId: exchange.id,
        verifier,
        presented: made.presented,
        ...(redirectUri === undefined ? {} : { redirectUri }),
        responseMode: opened.responseMode,
      });
    } finally {
      made.putBack();
    }
  }

  /**
   * Written down when everything is ready and nothing is sent yet, with the copies that are used up: whatever happens to us now,
   * this request is not answered a second time, and no copy is shown to anybody else. False when one of them is gone meanwhile.
   */
  async function use(exchange: Running, { copies }: Made): Promise<boolean> {
    const { state } = exchange;
    exchange.state = ANSWERING;
    try {
      await change(exchange.caller, exchange.owner, async (inside) => {
        for (const { candidate, copy } of copies) if (!(await keeping.take(inside, candidate, copy))) throw new CopyGone();
        await exchanges.save(exchange, inside);
      });
      return true;
    } catch (error) {
      exchange.state = state;
      if (error instanceof CopyGone) return false;
      throw error;
    }
  }

  return {
    async process(caller: Caller, body: PresentationRequest, once: Once): Promise<PresentationAnswer> {
      const earlier = await once.earlier();
      return earlier === undefined ? proceed(caller, body, once) : again(caller, earlier, body, once);
    },
  };
}

export type Presentations = ReturnType<typeof createPresentations>;
