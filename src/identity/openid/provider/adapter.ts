// The storage adapter of the OpenID library.
import type { Adapter, AdapterPayload } from 'oidc-provider';
import { cookieIn } from '../../ground/look/index.ts';
import type { EnteredBy } from '../../login/wallet-sign-in/index.ts';
import type { RecordPayload, Records } from '../records/index.ts';
import { SIGN_IN_REQUEST_MODEL } from '../sign-in-requests/index.ts';
import { browserCookie, isSecretOf, secretsIn } from './browser-binding.ts';
import { ENDED_SECONDS } from './configuration/ciba.ts';
import { PROOF_SECONDS } from './dpop-proofs.ts';
import type { UnfinishedLimit } from './unfinished-limit.ts';

/** A sign-in that waits to be picked up. */
export interface CompletedLogin {
  readonly accountId: string;
  readonly amr?: readonly string[];
  /** The credential of ours that was shown. */
  readonly credential?: EnteredBy;
  /** The passkey that was used. */
  readonly passkeyId?: string;
  /** It goes on with a session from before. */
  readonly isEarlier?: boolean;
  /** The hash of the secret of the browser in which the person signed in. */
  readonly browser?: string;
}

export interface AdapterDeps {
  readonly issuer: string;
  readonly records: Records;
  readonly unfinished: UnfinishedLimit;
  client(id: string): Promise<AdapterPayload | undefined>;
  /** Whether a completed sign-in is still sufficient when the library picks it up. */
  isSufficient(login: CompletedLogin): Promise<boolean>;
  /** Whether the person is not in the directory any more that they come from, as far as it answers. */
  hasLeft(accountId: string): Promise<boolean>;
  /** What is kept of a request that a person signs in somewhere else. */
  storedRequest(payload: RecordPayload): RecordPayload;
  /** Whether an application that asks for the answer to one has waited long enough. */
  isInTime(id: string): Promise<boolean>;
  /** The error if it has not. */
  tooEarlyError(): Error;
  /** The error for a repeated DPoP proof. */
  replayError(): Error;
  /** The error for a code or token that a concurrent request used. */
  alreadyUsedError(): Error;
}

/** DPoP proofs, which may be used once. */
const REPLAY_MODEL = 'ReplayDetection';

/** What people use again long after they signed in. Access tokens are checked far more often, and live shortly. */
const USED_LATER = ['Session', 'RefreshToken', 'DeviceCode'];

export const createAdapter = (deps: AdapterDeps) => {
  const { records, client, unfinished, alreadyUsedError } = deps;

  /** Whether this request comes from the browser with the secret. */
  function isSameBrowser(id: string, hash: string | undefined): boolean {
    // The one that it gets with the answer counts from when it is stored, the one it has until then.
    const kept = secretsIn(cookieIn(records.origin()?.cookies, browserCookie(deps.issuer, id)));
    const answerSecret = records.browserSecretOf(id);
    return (
      hash !== undefined &&
      [...kept, ...(answerSecret === undefined ? [] : [answerSecret])].some((secret) => isSecretOf(hash, secret))
    );
  }

  /** A form that was sent twice, of which the other one was quicker: this one has proved as much, and takes nothing that the other one left. */
  function ofAnotherRequest(id: string, found: RecordPayload): RecordPayload | undefined {
    const { result: _, lastSubmission: __, ...begun } = found;
    return records.browserSecretOf(id) === undefined ? undefined : begun;
  }

  async function findInteraction(id: string): Promise<RecordPayload | undefined> {
    const found = await records.find('Interaction', id);
    const login = found?.result?.login as CompletedLogin | undefined;
    const { browser } = (found?.lastSubmission ?? {}) as { browser?: string };
    if ((login || browser !== undefined) && !isSameBrowser(id, login ? login.browser : browser))
      return ofAnotherRequest(id, found!);
    return login && !(await deps.isSufficient(login)) ? undefined : found;
  }

  async function unlessLeft(found: RecordPayload | undefined): Promise<RecordPayload | undefined> {
    const { accountId } = found ?? {};
    return typeof accountId === 'string' && (await deps.hasLeft(accountId)) ? undefined : found;
  }

  /** The application asks for the answer of a person. Until there is one, it does not learn by the time that there is such a person. */
  async function findAsked(id: string): Promise<RecordPayload | undefined> {
    const found = await records.find(SIGN_IN_REQUEST_MODEL, id);
    if (found && !(await deps.isInTime(id))) throw deps.tooEarlyError();
    return found?.grantId === undefined ? found : unlessLeft(found);
  }

  async function findRecord(model: string, id: string): Promise<RecordPayload | undefined> {
    if (model === 'Interaction') return findInteraction(id);
    if (model === SIGN_IN_REQUEST_MODEL) return findAsked(id);
    return USED_LATER.includes(model) ? unlessLeft(await records.find(model, id)) : records.find(model, id);
  }

  /** The library would report an invalid grant instead of an invalid proof (RFC 9449, 5). */
  async function refuseReplay(id: string): Promise<undefined> {
    if (await records.find(REPLAY_MODEL, id)) throw deps.replayError();
  }

  function find(model: string, id: string): Promise<AdapterPayload | undefined> {
    if (model === 'Client') return client(id);
    if (model === REPLAY_MODEL) return refuseReplay(id);
    return findRecord(model, id) as Promise<AdapterPayload | undefined>;
  }

  /** The library would forget a proof that is dated ahead while it is good. */
  async function noteUse(id: string, payload: RecordPayload, expiresIn = 0): Promise<void> {
    unfinished.reserve(REPLAY_MODEL, payload);
    const isNew = await records.save(REPLAY_MODEL, id, payload, Math.max(expiresIn, PROOF_SECONDS), true);
    if (!isNew) throw deps.replayError();
  }

  return (model: string): Adapter => ({
    async upsert(id, payload, expiresIn) {
      if (model === REPLAY_MODEL) return noteUse(id, payload as RecordPayload, expiresIn);
      if (model === SIGN_IN_REQUEST_MODEL) {
        const lifetime = (expiresIn ?? 0) + ENDED_SECONDS;
        await records.save(model, id, deps.storedRequest(payload as RecordPayload), lifetime, true);
        return;
      }
      if (!records.wasFound(model, id)) unfinished.reserve(model, payload as RecordPayload);
      await records.save(model, id, payload as RecordPayload, expiresIn);
    },
    find: (id) => find(model, id),
    findByUid: (uid) => records.findByUid(uid) as Promise<AdapterPayload | undefined>,
    findByUserCode: (code) => records.findByUserCode(code) as Promise<AdapterPayload | undefined>,
    async consume(id) {
      if (!(await records.consume(model, id))) throw alreadyUsedError();
    },
    async destroy(id) {
      // Once: otherwise whoever ends one sign-in several times at the same moment could begin as many others.
      if (await records.destroy(model, id)) unfinished.release(model);
    },
    revokeByGrantId: (grantId) => records.revokeGrant(grantId),
  });
};
