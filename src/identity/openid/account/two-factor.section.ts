// A person turns their second factor on and off.
import type { AuthRules } from '../../tokens/index.ts';
import { type Factor, qrCode } from '../../two-factor/index.ts';
import type { Users } from '../../users/index.ts';
import { type FactorProposal, recoveryCodesSection, twoFactorProposal, twoFactorSection } from '../pages/account-two-factor.ts';
import type { Html } from '../pages/html.ts';
import type { AccountSection, AccountStep, AccountStepResult, AccountVisit } from './section.ts';

export interface TwoFactorDeps {
  readonly users: Users;
  readonly auth: AuthRules;
  readonly factor: Factor;
}

type Run = AccountStep['run'];

const proposalOf = (offer: { proposed: string; key: string; uri: string }): FactorProposal => ({
  proposed: offer.proposed,
  key: offer.key,
  svg: qrCode(offer.uri, 'svg') ?? '',
});

/** To replace the key, it must first be turned off by password: otherwise anyone at an unlocked browser could replace it. */
const unlessEnabled =
  ({ factor }: TwoFactorDeps, run: Run): Run =>
  async (visit, form) =>
    (await factor.isEnabled(visit.person.user.id)) ? { error: visit.look.words.alreadyOn } : run(visit, form);

const propose =
  ({ factor }: TwoFactorDeps): Run =>
  async (visit) => ({ show: twoFactorProposal(visit, proposalOf(factor.propose(visit.person.user))) });

const confirm =
  (deps: TwoFactorDeps): Run =>
  async (visit, form): Promise<AccountStepResult> => {
    const { factor } = deps;
    const { words } = visit.look;
    const { user, actor } = visit.person;
    const proposed = form.text('proposed');
    const code = form.text('code').replaceAll(/\s/g, '');
    const question = { question: form.text('question'), answer: form.text('answer') };
    const offer = factor.proposalOf(user, proposed);
    if (!offer) return { error: words.tooLate };
    if (!(await factor.enableProposed(actor, user, { proposed, code }, question)))
      return { error: words.wrongCode, field: 'code', show: twoFactorProposal(visit, proposalOf(offer)) };
    return { show: await newRecoveryCodes(deps, visit) };
  };

/** Asks for the password: the browser may be unlocked and used by somebody else. */
const disable =
  ({ auth, users, factor }: TwoFactorDeps): Run =>
  async ({ person: { user, actor } }, form) => {
    const check = async () => (await users.checkPassword({ user, key: user.id }, form.text('password'), actor)).check;
    await auth.confirmPassword({ ...actor, purpose: 'two-factor off' }, user.id, check);
    await factor.disable(actor, user.id);
    return { done: 'twoFactorIsOff' };
  };

async function newRecoveryCodes({ factor }: TwoFactorDeps, visit: AccountVisit): Promise<Html> {
  const { user, actor } = visit.person;
  return recoveryCodesSection(visit, await factor.makeRecoveryCodes(actor, user.id));
}

export const createTwoFactorSection = (deps: TwoFactorDeps): AccountSection => ({
  page: 'security',
  async show(visit) {
    const { id } = visit.person.user;
    const factor = (await deps.factor.isEnabled(id)) ? await deps.factor.data(id) : undefined;
    return twoFactorSection(visit, factor);
  },
  steps: {
    'two-factor-on': { needs: 'fresh sign-in', run: unlessEnabled(deps, propose(deps)) },
    'two-factor-confirm': { needs: 'fresh sign-in', run: unlessEnabled(deps, confirm(deps)) },
    'two-factor-off': { needs: 'password', run: disable(deps) },
    'recovery-codes': {
      needs: 'fresh sign-in',
      run: async (visit) => ({ show: await newRecoveryCodes(deps, visit) }),
    },
  },
});
