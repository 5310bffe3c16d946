// What a person does on the account page, one function a form.
import { type FreshLogin, tagOf } from '../../access/index.ts';
import type { Passwords } from '../../passwords/index.ts';
import { type Deps, parseJson } from '../../resource/index.ts';
import type { AuthRules } from '../../tokens/index.ts';
import { type Devices, type Factor, qrCode } from '../../two-factor/index.ts';
import type { Users } from '../../users/index.ts';
import { english } from '../pages/words.ts';
import type { Records } from '../provider/records/records.ts';
import type { SignedIn } from './signed-in.ts';
import type { Shown } from './view.ts';

const words = english;

export interface StepDeps extends Pick<Deps, 'change'> {
  readonly users: Users;
  readonly passwords: Passwords;
  readonly auth: AuthRules;
  readonly records: Records;
  readonly factor: Factor;
  readonly devices: Devices;
  readonly freshLogin: FreshLogin;
}

export type Outcome = Shown | 'signed out' | 'sign in again';
type Step = (deps: StepDeps, person: SignedIn, form: URLSearchParams) => Promise<Outcome>;

/** Steps that change how one signs in. */
const WITHOUT_PROOF = ['two-factor-on', 'two-factor-confirm', 'recovery-codes'];
const BY_PASSWORD = ['password', 'two-factor-off'];

const text = (form: URLSearchParams, name: string): string => form.get(name) ?? '';

const changePassword: Step = async ({ users }, { user, actor }, form) => {
  const fresh = text(form, 'new_password');
  if (fresh !== form.get('new_password_again')) return { wrong: words.passwordsDiffer };
  await users.changePassword(actor, user, text(form, 'current_password'), fresh);
  return 'signed out';
};

const proposalFor = (offer: { proposed: string; key: string; uri: string }): Shown => ({
  proposal: { proposed: offer.proposed, key: offer.key, svg: qrCode(offer.uri, 'svg') ?? '' },
});

/** Another key for one that is on would let whoever sits at the desk take it over: it is turned off first, by password. */
const unlessOn =
  (step: Step): Step =>
  async (deps, person, form) =>
    (await deps.factor.isEnabled(person.user.id)) ? { wrong: words.alreadyOn } : step(deps, person, form);

const proposeFactor: Step = async ({ factor }, { user }) => proposalFor(factor.propose(user));

const confirmFactor: Step = async ({ factor }, { user, actor }, form) => {
  const [proposed, code, question, answer] = [
    text(form, 'proposed'),
    text(form, 'code'),
    text(form, 'question'),
    text(form, 'answer'),
  ];
  const offer = factor.proposalOf(user, proposed);
  if (!offer) return { wrong: words.tooLate };
  const good = await factor.enableProposed(actor, user, { proposed, code: code.replaceAll(/\s/g, '') }, { question, answer });
  if (!good) return { ...proposalFor(offer), wrong: words.wrongCode };
  return { good: words.done, recoveryCodes: await factor.makeRecoveryCodes(actor, user.id) };
};

/** Knowing the password proves that it is the person, and not somebody at their desk. */
const disableFactor: Step = async ({ auth, passwords, factor }, { user, actor }, form) => {
  const account = { id: user.id, options: parseJson(user.options), active: true };
  await auth.confirmPassword({ ...actor, purpose: 'two-factor off' }, user.id, () =>
    passwords.check(text(form, 'password'), account, actor),
  );
  await factor.disable(actor, user.id);
  return { good: words.done };
};

const makeRecoveryCodes: Step = async ({ factor }, { user, actor }) => ({
  recoveryCodes: await factor.makeRecoveryCodes(actor, user.id),
});

const endSessions: Step = async ({ change, records }, { user, session, actor }) => {
  await change(actor, async (transaction) => {
    await records.endSessions(transaction, user.id, session.jti);
    transaction.invalidate(tagOf.user(user.id));
    transaction.audit('session.others_ended', { kind: 'user', id: user.id });
  });
  return { good: words.done };
};

const forgetDevice: Step = async ({ devices }, { user, actor }, form) => {
  await devices.forget(actor, user.id, text(form, 'device'));
  return { good: words.done };
};

const revokeConsent: Step = async ({ change, records }, { user, actor }, form) => {
  const clientId = text(form, 'application');
  await change(actor, async (transaction) => {
    await records.endConsents(transaction, user.id, clientId);
    transaction.invalidate(tagOf.user(user.id));
    transaction.audit('consent.revoked', { kind: 'user', id: user.id }, { consumer_id: clientId });
  });
  return { good: words.done };
};

/** By the name the form has for it. */
const STEPS: ReadonlyMap<string, Step> = new Map([
  ['password', changePassword],
  ['two-factor-on', unlessOn(proposeFactor)],
  ['two-factor-confirm', unlessOn(confirmFactor)],
  ['two-factor-off', disableFactor],
  ['recovery-codes', makeRecoveryCodes],
  ['end-sessions', endSessions],
  ['forget-device', forgetDevice],
  ['revoke', revokeConsent],
]);

/** Where the form asks for the password, that is proof enough for whoever has no second factor. */
async function needsFreshLogin({ factor }: StepDeps, { user }: SignedIn, step: string): Promise<boolean> {
  return WITHOUT_PROOF.includes(step) || (BY_PASSWORD.includes(step) && (await factor.isEnabled(user.id)));
}

export async function takeStep(deps: StepDeps, person: SignedIn, form: URLSearchParams): Promise<Outcome> {
  const name = text(form, 'step');
  const isFresh = deps.freshLogin.isFresh(Number(person.session.loginTs) * 1000);
  if ((await needsFreshLogin(deps, person, name)) && !isFresh) return 'sign in again';
  return (await STEPS.get(name)?.(deps, person, form)) ?? {};
}
