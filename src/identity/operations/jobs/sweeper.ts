// Background work: deletes what has expired and accounts whose owners left, and rotates token keys.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.ts';
import { withoutTimeLimit } from '../../../platform/deadline.ts';
import { CLOCK_WAITS, type Job, repeat, watchClock } from '../../../platform/jobs/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { ClientRegistration } from '../../applications/client-registration/index.ts';
import type { Consumers } from '../../applications/consumers/index.ts';
import type { OAuth1 } from '../../delegation/oauth1/index.ts';
import type { Trusts } from '../../delegation/trusts/index.ts';
import type { Groups } from '../../directory/groups/index.ts';
import type { Passwords } from '../../directory/passwords/index.ts';
import type { Devices } from '../../directory/two-factor/index.ts';
import type { Users } from '../../directory/users/index.ts';
import type { Links } from '../../ground/links/index.ts';
import type { Previews } from '../../ground/look/index.ts';
import type { Mail } from '../../ground/mail/index.ts';
import type { Federation } from '../../login/federation/index.ts';
import type { Revocations, TokenKeys } from '../../login/tokens/index.ts';
import type { Records } from '../../openid/records/index.ts';
import type { SignInRequests } from '../../openid/sign-in-requests/index.ts';
import type { AccountDeletion } from '../../provisioning/account-deletion/index.ts';
import type { Invitations } from '../../provisioning/invitations/index.ts';
import type { RegistrationKeys, Waiting } from '../../provisioning/registration/index.ts';
import type { IssuedCredentials } from '../../role-credentials/issued/index.ts';
import type { IssuerKeys } from '../../role-credentials/issuer/index.ts';
import type { Replicas } from '../replicas/index.ts';

const EVERY_MS = 60_000;
const PAUSE_MS = 10;

export function startSweeper(deps: {
  revocations: Revocations;
  tokenKeys: TokenKeys;
  records: Records;
  passwords: Passwords;
  devices: Devices;
  users: Users;
  groups: Pick<Groups, 'sweep'>;
  links: Links;
  mail: Mail;
  previews: Pick<Previews, 'sweep'>;
  notifications: { sweep(): Promise<number> };
  auditExports: { sweep(stopping: AbortSignal): Promise<number> };
  registrationKeys: RegistrationKeys;
  waiting: Pick<Waiting, 'sweep'>;
  invitations: Invitations;
  federation: Federation;
  consumers: Pick<Consumers, 'sweep'>;
  clientRegistration: Pick<ClientRegistration, 'sweep'>;
  trusts: Pick<Trusts, 'sweep'>;
  oauth1AccessTokens: Pick<OAuth1['accessTokens'], 'sweep'>;
  accountDeletion: Pick<AccountDeletion, 'deleteDue'>;
  issuedCredentials: Pick<IssuedCredentials, 'sweep'>;
  issuerKeys: Pick<IssuerKeys, 'sweep'>;
  replicas: Pick<Replicas, 'sweep'>;
  signInRequests: Pick<SignInRequests, 'sweep'>;
  clock: Clock;
  log: Log;
}): Job {
  const {
    revocations,
    tokenKeys,
    records,
    passwords,
    devices,
    users,
    groups,
    links,
    mail,
    previews,
    notifications,
    auditExports,
    registrationKeys,
    waiting,
    accountDeletion,
    invitations,
    federation,
    consumers,
    clientRegistration,
    trusts,
    oauth1AccessTokens,
    issuedCredentials,
    issuerKeys,
    replicas,
    signInRequests,
    clock,
    log,
  } = deps;
  const watch = watchClock(clock, (seconds) => log.warn({ seconds }, CLOCK_WAITS));
  /** Users up to this id have a name form; undefined when all have one. */
  let lastUserWithForm: string | undefined = '';

  /** Goes through all users once, with pauses, so that requests do not wait. New users get a name form when they are created. */
  async function fillNameForms(stopping: AbortSignal): Promise<void> {
    while (lastUserWithForm !== undefined && !stopping.aborted) {
      lastUserWithForm = await users.fillNameForms(lastUserWithForm);
      await sleep(PAUSE_MS);
    }
  }

  /** Of users whom a version without search created or changed. An index holds these, so that looking for them costs nothing. */
  async function fillWords(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && (await users.fillWords()) > 0) await sleep(PAUSE_MS);
  }

  async function sweep(stopping: AbortSignal): Promise<void> {
    let [revoked, ended, audited] = [0, 0, 0];
    const steps = [
      () => tokenKeys.rotate(),
      async () => (revoked += await revocations.sweep()),
      async () => (ended += await records.sweep()),
      () => watch.onceSettled(async () => (ended += await records.sweepAhead())),
      async () => (ended += await passwords.sweep()),
      async () => (ended += await devices.sweep()),
      async () => (ended += await links.sweep()),
      async () => (ended += await mail.sweep()),
      async () => (ended += await previews.sweep()),
      async () => (ended += await notifications.sweep()),
      async () => (ended += await registrationKeys.sweep()),
      async () => (ended += await waiting.sweep()),
      async () => void (await accountDeletion.deleteDue(stopping)),
      async () => (ended += await invitations.sweep()),
      async () => (ended += await federation.sessions.sweep()),
      async () => (ended += await federation.attempts.sweep()),
      async () => (ended += await federation.messages.sweep()),
      () => federation.linkBatches.sweep(),
      async () => (ended += await groups.sweep()),
      async () => (ended += await consumers.sweep()),
      async () => (ended += await clientRegistration.sweep()),
      async () => (ended += await trusts.sweep()),
      async () => (ended += await oauth1AccessTokens.sweep()),
      async () => (ended += await issuedCredentials.sweep()),
      async () => (ended += await issuerKeys.sweep()),
      async () => (ended += await replicas.sweep()),
      async () => (ended += await signInRequests.sweep()),
      async () => (audited += await auditExports.sweep(stopping)),
      () => fillNameForms(stopping),
      () => fillWords(stopping),
    ];
    const errors: unknown[] = [];
    // A step that fails must not stop the others: token keys are replaced even while a table is locked.
    for (const step of steps) await step().catch((error: unknown) => errors.push(error));
    if (revoked + ended > 0) log.info({ revoked, ended }, 'deleted expired rows');
    if (audited > 0) log.info({ events: audited }, 'deleted old audit events');
    if (errors.length > 0) throw errors[0];
  }

  return repeat({
    everyMs: EVERY_MS,
    run: async (stopping) => {
      if (watch.isSteady()) await withoutTimeLimit(() => sweep(stopping));
    },
    log,
    failure: 'sweep failed; it will be tried again',
  });
}
