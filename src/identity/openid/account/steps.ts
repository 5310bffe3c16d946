// The forms of the account page, one function for each.
import { type FreshLogin, tagOf } from '../../access/index.ts';
import type { PasskeyPolicy, Passkeys } from '../../passkeys/index.ts';
import type { Passwords } from '../../passwords/index.ts';
import { type Deps, parseJson } from '../../resource/index.ts';
import type { AuthRules } from '../../tokens/index.ts';
import { type Devices, type Factor, qrCode } from '../../two-factor/index.ts';
import type { Users } from '../../users/index.ts';
import type { PageWords } from '../pages/words/index.ts';
import type { Records } from '../provider/records/records.ts';
import type { AccountPageResult } from './account-page-data.ts';
import type { SignedInPerson } from './signed-in-person.ts';

export interface AccountStepDeps extends Pick<Deps, 'change'> {
  readonly users: Users;
  readonly passwords: Passwords;
  readonly auth: AuthRules;
  readonly records: Records;
  readonly factor: Factor;
  readonly devices: Devices;
  readonly freshLogin: FreshLogin;
  readonly passkeys: Passkeys;
  readonly passkeyPolicy: PasskeyPolicy;
}

export type AccountStepOutcome = AccountPageResult | 'signed out' | 'sign in again';
type AccountStep = (
  deps: AccountStepDeps,
  person: SignedInPerson,
  form: URLSearchParams,
  words: PageWords,
) => Promise<AccountStepOutcome>;

/** Steps that change how a person signs in, by whether their form asks for the password. */
const STEPS_WITHOUT_PASSWORD = [
  'two-factor-on',
  'two-factor-confirm',
  'recovery-codes',
  'passkey-new',
  'passkey-create',
  'passkey-remove',
];
const STEPS_WITH_PASSWORD = ['password', 'two-factor-off'];

const text = (form: URLSearchParams, name: string): string => form.get(name) ?? '';

const changePassword: AccountStep = async ({ users }, { user, actor }, form, words) => {
  const fresh = text(form, 'new_password');
  if (fresh !== form.get('new_password_again')) return { error: words.passwordsDiffer };
  await users.changePassword(actor, user, text(form, 'current_password'), fresh);
  return 'signed out';
};

const proposalFor = (offer: { proposed: string; key: string; uri: string }): AccountPageResult => ({
  proposal: { proposed: offer.proposed, key: offer.key, svg: qrCode(offer.uri, 'svg') ?? '' },
});

/** To replace the key, it must first be turned off by password: otherwise anyone at an unlocked browser could replace it. */
const unlessEnabled =
  (step: AccountStep): AccountStep =>
  async (deps, person, form, words) =>
    (await deps.factor.isEnabled(person.user.id)) ? { error: words.alreadyOn } : step(deps, person, form, words);

const proposeFactor: AccountStep = async ({ factor }, { user }) => proposalFor(factor.propose(user));

const confirmFactor: AccountStep = async ({ factor }, { user, actor }, form, words) => {
  const [proposed, code, question, answer] = [
    text(form, 'proposed'),
    text(form, 'code'),
    text(form, 'question'),
    text(form, 'answer'),
  ];
  const offer = factor.proposalOf(user, proposed);
  if (!offer) return { error: words.tooLate };
  const good = await factor.enableProposed(actor, user, { proposed, code: code.replaceAll(/\s/g, '') }, { question, answer });
  if (!good) return { ...proposalFor(offer), error: words.wrongCode };
  return { success: words.done, recoveryCodes: await factor.makeRecoveryCodes(actor, user.id) };
};

/** Asks for the password: the browser may be unlocked and used by somebody else. */
const disableFactor: AccountStep = async ({ auth, passwords, factor }, { user, actor }, form, words) => {
  const account = { id: user.id, options: parseJson(user.options), active: true };
  await auth.confirmPassword({ ...actor, purpose: 'two-factor off' }, user.id, () =>
    passwords.check(text(form, 'password'), account, actor),
  );
  await factor.disable(actor, user.id);
  return { success: words.done };
};

const makeRecoveryCodes: AccountStep = async ({ factor }, { user, actor }) => ({
  recoveryCodes: await factor.makeRecoveryCodes(actor, user.id),
});

const whereAllowed =
  (step: AccountStep): AccountStep =>
  async (deps, person, form, words) =>
    (await deps.passkeyPolicy.isAllowed(person.user)) ? step(deps, person, form, words) : {};

/** The browser makes it after this: whether the login is fresh is found out before. */
const offerPasskey: AccountStep = async ({ passkeys }, { user, challenges }) => ({
  newPasskey: await passkeys.creationOptions({ id: user.id, name: user.name, displayName: user.name }, challenges[0]!),
});

const createPasskey: AccountStep = async ({ passkeys }, { user, actor, challenges }, form, words) => {
  await passkeys.add(actor, user.id, { challenges, text: text(form, 'passkey'), name: text(form, 'passkey_name') });
  return { success: words.done };
};

const renamePasskey: AccountStep = async ({ passkeys }, { user, actor }, form, words) => {
  await passkeys.rename(actor, user.id, text(form, 'passkey_id'), text(form, 'passkey_name'));
  return { success: words.done };
};

const removePasskey: AccountStep = async ({ passkeys }, { user, actor }, form, words) => {
  await passkeys.remove(actor, user.id, text(form, 'passkey_id'));
  return { success: words.done };
};

const endSessions: AccountStep = async ({ change, records }, { user, session, actor }, _form, words) => {
  await change(actor, async (transaction) => {
    await records.endSessions(transaction, user.id, session.jti);
    transaction.invalidate(tagOf.user(user.id));
    transaction.audit('session.others_ended', { kind: 'user', id: user.id });
  });
  return { success: words.done };
};

const forgetDevice: AccountStep = async ({ devices }, { user, actor }, form, words) => {
  await devices.forget(actor, user.id, text(form, 'device'));
  return { success: words.done };
};

const revokeConsent: AccountStep = async ({ change, records }, { user, actor }, form, words) => {
  const clientId = text(form, 'application');
  await change(actor, async (transaction) => {
    await records.endConsents(transaction, user.id, clientId);
    transaction.invalidate(tagOf.user(user.id));
    transaction.audit('consent.revoked', { kind: 'user', id: user.id }, { consumer_id: clientId });
  });
  return { success: words.done };
};

/** Keyed by the `step` of the form. */
const STEPS: ReadonlyMap<string, AccountStep> = new Map([
  ['password', changePassword],
  ['two-factor-on', unlessEnabled(proposeFactor)],
  ['two-factor-confirm', unlessEnabled(confirmFactor)],
  ['two-factor-off', disableFactor],
  ['recovery-codes', makeRecoveryCodes],
  ['passkey-new', whereAllowed(offerPasskey)],
  ['passkey-create', whereAllowed(createPasskey)],
  ['passkey-rename', whereAllowed(renamePasskey)],
  ['passkey-remove', whereAllowed(removePasskey)],
  ['end-sessions', endSessions],
  ['forget-device', forgetDevice],
  ['revoke', revokeConsent],
]);

/** A form that asks for the password needs a fresh login only if the person has a second factor. */
async function needsFreshLogin({ factor }: AccountStepDeps, { user }: SignedInPerson, step: string): Promise<boolean> {
  return STEPS_WITHOUT_PASSWORD.includes(step) || (STEPS_WITH_PASSWORD.includes(step) && (await factor.isEnabled(user.id)));
}

export async function runAccountStep(
  deps: AccountStepDeps,
  person: SignedInPerson,
  form: URLSearchParams,
  words: PageWords,
): Promise<AccountStepOutcome> {
  const name = text(form, 'step');
  const isFresh = deps.freshLogin.isFresh(Number(person.session.loginTs) * 1000);
  if ((await needsFreshLogin(deps, person, name)) && !isFresh) return 'sign in again';
  return (await STEPS.get(name)?.(deps, person, form, words)) ?? {};
}
