// Trying the sign-in at a provider: an administrator goes there and comes back to the console, and sees the claims that arrived and what the
// mapping makes of them. Nobody is signed in by it. What the provider says is answered once, and not stored. ADR 018.
import { seconds } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import type { AuthorizationFlow } from '../../../platform/openid-client/index.ts';
import type { Seal } from '../../../platform/seal/index.ts';
import type { Caller } from '../../access/rules/index.ts';
import type { IdentityProviderRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import { refuse } from './account-choice.rules.ts';
import type { MappingTrials, TrialResult } from './mapping-trials.rules.ts';
import type { ProviderClients } from './provider-clients.ts';
import type { ProviderFlows } from './provider-flow.rules.ts';
import type { ProviderMessages } from './provider-messages.rules.ts';
import { deleteAttempt, deleteEndedAttempts, findAttempt, isAwaited, replaceAttempt } from './sign-in-attempts.store.ts';
import { findTriedProvider, type TriedProvider } from './sign-in-providers.store.ts';

const ATTEMPT_SECONDS = 300;
/** No state of a sign-in begins with it: these begin with the id of an interaction. */
const PREFIX = 'try.';
const stateOf = (id: string): string => `${PREFIX}${id}`;
const sealContext = (id: string): string => `provider_attempts/${id}`;

/** The attempt that an answer of a provider belongs to. */
export const attemptOf = (state: string): string | undefined => /^try\.([\w-]{16,64})$/.exec(state)?.[1];

interface Begun {
  readonly flow: AuthorizationFlow;
  readonly enabled: number;
}

export interface AttemptDeps extends Pick<Deps, 'db' | 'clock' | 'change'> {
  readonly seal: Seal;
  readonly clientOf: ProviderClients;
  readonly flows: Pick<ProviderFlows, 'addressOf' | 'redeem'>;
  readonly messages: Pick<ProviderMessages, 'answerIn'>;
  readonly tryMapping: MappingTrials;
}

export function createProviderAttempts({ db, clock, change, seal, clientOf, flows, messages, tryMapping }: AttemptDeps) {
  const settingsOf = async (id: string): Promise<TriedProvider> =>
    (await findTriedProvider(db.read, id)) ?? fail('openid_provider.not_found', { id });

  /** Used up, whatever comes of it. Only who began it has it. */
  async function take(caller: Caller, providerId: string, id: string): Promise<Begun & { readonly version: number }> {
    const missing = (): never => fail('provider_attempt.not_found', { id });
    const mine = { id, providerId, userId: caller.userId, now: seconds(clock) };
    return db.write(async (tx) => {
      const row = (await findAttempt(tx, mine)) ?? missing();
      if (!(await deleteAttempt(tx, row.id))) missing();
      return { ...(JSON.parse(seal.open(row.sealed, sealContext(id)).toString()) as Begun), version: row.version };
    });
  }

  return {
    /** Also at a provider that is disabled: it is tried before people see it. */
    async begin(caller: Caller, { id: providerId }: IdentityProviderRow) {
      const row = await settingsOf(providerId);
      const { provider } = clientOf(row);
      const id = newId();
      const flow: AuthorizationFlow = { ...provider.newFlow(), state: stateOf(id) };
      // The person may want to try it as somebody else.
      const url = await flows.addressOf(row, flow, { prompt: 'login' });
      const expiresAt = seconds(clock) + ATTEMPT_SECONDS;
      const begun: Begun = { flow, enabled: row.enabled };
      await change(caller, async (transaction) => {
        const attempt = {
          id,
          provider_id: providerId,
          user_id: caller.userId,
          version: row.version,
          sealed: seal.seal(Buffer.from(JSON.stringify(begun)), sealContext(id)),
          expires_at: expiresAt,
        };
        await failOnBrokenReference(
          () => fail('identity_provider.not_found', { id: providerId }),
          () => replaceAttempt(transaction.tx, attempt),
        );
        transaction.audit('identity_provider.sign_in_tried', { kind: 'identity_provider', id: providerId });
      });
      return { id, url, expiresAt };
    },

    /** Whether an answer with this state may still come. It says nothing about who brings it. */
    isAwaited: (id: string, providerId: string): Promise<boolean> => isAwaited(db.read, { id, providerId, now: seconds(clock) }),

    /** `query`: that of the page of the console. */
    async finish(
      caller: Caller,
      { id: providerId }: IdentityProviderRow,
      id: string,
      query: string,
    ): Promise<{ readonly claims: Readonly<Record<string, unknown>>; readonly result: TrialResult }> {
      const returned = await messages.answerIn(new URLSearchParams(query));
      const { flow, version, enabled } = await take(caller, providerId, id);
      const row = await settingsOf(providerId);
      if (row.version !== version || row.enabled !== enabled) return refuse('settings_changed');
      // `provider` is from the address of ours that the browser came back to: the code of another provider is not for this one (RFC 9700, 4.4).
      const once = { state: flow.state, provider: providerId };
      if (Object.entries(once).some(([name, value]) => returned.answer.getAll(name).join(' ') !== value))
        fail('identity_provider.refused', { why: 'invalid_response' });
      const grant = await flows.redeem(row, returned, flow);
      // No token is kept. A provider that cannot end it ends it by its time.
      if (grant.refreshToken !== undefined)
        await clientOf(row)
          .provider.revoke(grant.refreshToken)
          .catch(() => undefined);
      return { claims: grant.claims, result: await tryMapping(providerId, { claims: grant.claims, issuer: grant.issuer }) };
    },

    sweep: (): Promise<number> => db.write((tx) => deleteEndedAttempts(tx, seconds(clock))),
  };
}

export type ProviderAttempts = ReturnType<typeof createProviderAttempts>;
