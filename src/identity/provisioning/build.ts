// How accounts come and go.
import { Throttle } from '../../platform/limits/index.ts';
import type { Reader, UserRow } from '../ground/database/index.ts';
import { parseJson } from '../ground/resource/index.ts';
import type { OpenidRoom } from '../openid/build.ts';
import { createAccountDeletion, createCancelledDeletion } from './account-deletion/index.ts';
import { createImports } from './import/index.ts';
import { ATTEMPTS_LIMIT, createAcceptance, createInvitations, MAILS_LIMIT } from './invitations/index.ts';
import {
  createEmailChange,
  createMailRequests,
  createPasswordRecovery,
  createSelfRegistration,
  createTermsAtSignIn,
} from './people/index.ts';
import { createRegistration, createRegistrationKeys, createWaiting, type Waiting } from './registration/index.ts';
import { createConnections, createScim } from './scim/index.ts';

/** What people do without an administrator. */
function buildPeople(below: OpenidRoom & { readonly waiting: Waiting }) {
  const { users, passwords, db } = below;
  const requests = createMailRequests(below);
  /** An account of a directory or of another provider has no password here. */
  const canResetPassword = async (user: UserRow, reader: Reader = db.read): Promise<boolean> => {
    const { lock_password: isLocked } = parseJson<{ lock_password?: boolean }>(user.options);
    return isLocked !== true && !(await users.isInDirectory(user.id, reader)) && passwords.has(reader, user.id);
  };
  return {
    passwordRecovery: createPasswordRecovery({ ...below, requests, canResetPassword }),
    selfRegistration: createSelfRegistration({ ...below, requests }),
    termsAtSignIn: createTermsAtSignIn(below),
    emailChange: createEmailChange({ ...below, requests }),
    peopleSettled: requests.settled,
  };
}

export function buildProvisioning(below: OpenidRoom) {
  const { news, clock } = below;
  const registrationKeys = createRegistrationKeys(below);
  const waiting = createWaiting(below);
  const cancelDeletion = createCancelledDeletion(below);
  news.accessRevoked.listen(registrationKeys.endResets);
  news.emailChanged.listen(registrationKeys.endResets);
  news.disabled.listen(registrationKeys.endActivations, cancelDeletion, waiting.disabled);
  news.enabled.listen(cancelDeletion, waiting.enabled);
  const throttle = (limit: typeof MAILS_LIMIT) => new Throttle(below.rateLimits ? limit : undefined, clock);
  const invitationDeps = { ...below, mails: throttle(MAILS_LIMIT) };
  return {
    ...below,
    ...buildPeople({ ...below, waiting }),
    registrationKeys,
    waiting,
    registration: createRegistration({ ...below, keys: registrationKeys, waiting }),
    invitations: createInvitations(invitationDeps),
    acceptance: createAcceptance({ ...invitationDeps, attempts: throttle(ATTEMPTS_LIMIT) }),
    accountDeletion: createAccountDeletion(below),
    imports: createImports(below),
    scim: createScim(below),
    connections: createConnections(below),
  };
}

export type Provisioning = ReturnType<typeof buildProvisioning>;
