// A person turns their second factor on and off.
import type { DelegatedAccess } from '../../delegation/delegated-access/index.ts';
import { type Factor, qrCode } from '../../directory/two-factor/index.ts';
import type { Users } from '../../directory/users/index.ts';
import { type Html, html, sendFile } from '../../ground/look/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { recoveryCodesFile } from '../sign-in/index.ts';
import { delegatedNotice } from './access.page.ts';
import type { AccountSection, AccountStep, AccountStepResult, AccountVisit } from './section.ts';
import { type FactorProposal, recoveryCodesSection, twoFactorProposal, twoFactorSection } from './two-factor.page.ts';

export interface TwoFactorDeps extends Pick<Deps, 'config'> {
  readonly users: Users;
  readonly factor: Factor;
  readonly delegatedAccess: DelegatedAccess;
}

type Run = AccountStep['run'];

const REFUSED_CODE = { step: 'two-factor-confirm', field: 'code' };

const proposalOf = ({ config }: TwoFactorDeps, offer: { proposed: string; key: string; uri: string }): FactorProposal => ({
  asksQuestion: config.securityQuestion === 'asked',
  proposed: offer.proposed,
  key: offer.key,
  uri: offer.uri,
  svg: qrCode(offer.uri, 'svg') ?? '',
});

/** To replace the key, it must first be turned off by password: otherwise anyone at an unlocked browser could replace it. */
const unlessEnabled =
  ({ factor }: TwoFactorDeps, run: Run): Run =>
  async (visit, form) =>
    (await factor.isEnabled(visit.person.user.id)) ? { error: visit.look.words.alreadyOn } : run(visit, form);

const propose =
  (deps: TwoFactorDeps): Run =>
  async (visit) => ({ show: twoFactorProposal(visit, proposalOf(deps, deps.factor.propose(visit.person.user))) });

const confirm =
  (deps: TwoFactorDeps): Run =>
  async (visit, form): Promise<AccountStepResult> => {
    const { factor } = deps;
    const { words } = visit.look;
    const { user, actor } = visit.person;
    const proposed = form.text('proposed');
    const code = form.text('code').replaceAll(/\s/g, '');
    const isAsked = deps.config.securityQuestion === 'asked';
    const question = isAsked ? { question: form.text('question'), answer: form.text('answer') } : undefined;
    const offer = factor.proposalOf(user, proposed);
    if (!offer) return { error: words.tooLate };
    const codes = await factor.enableProposed(actor, user, { proposed, code }, question);
    if (!codes)
      return {
        error: words.wrongCode,
        field: 'code',
        show: twoFactorProposal(
          { ...visit, refused: { ...REFUSED_CODE, message: words.wrongCode, value: form.text } },
          proposalOf(deps, offer),
        ),
      };
    // The other sessions have ended. This one goes on, and the code counts.
    await visit.person.renewSession('totp');
    const others = delegatedNotice(visit.look, await deps.delegatedAccess.list(user.id));
    return { show: html`${recoveryCodesSection(visit, codes)}${others}` };
  };

/** Asks for the password: the browser may be unlocked and used by somebody else. */
const disable =
  ({ users, factor }: TwoFactorDeps): Run =>
  async ({ person: { user, actor } }, form) => {
    await users.confirmPassword({ user, key: user.id }, form.text('password'), { ...actor, purpose: 'two-factor off' });
    await factor.disable(actor, user.id);
    return { done: 'twoFactorIsOff' };
  };

async function newRecoveryCodes({ factor }: TwoFactorDeps, visit: AccountVisit): Promise<Html> {
  const { user, actor } = visit.person;
  return recoveryCodesSection(visit, await factor.makeRecoveryCodes(actor, user.id));
}

const download: Run = async ({ look: { words, brand }, person: { user }, browser }, form) => {
  const text = recoveryCodesFile(words, { person: user.name, service: brand.name, codes: form.text('codes') });
  if (text === undefined) return { error: words.errorTitle };
  sendFile(browser, 'recovery-codes.txt', text);
  return 'answered';
};

export const createTwoFactorSection = (deps: TwoFactorDeps): AccountSection => ({
  page: 'security',
  async show(visit) {
    const { id } = visit.person.user;
    if (!(await deps.factor.isEnabled(id))) return twoFactorSection(visit, undefined);
    const [factor, mustStay] = await Promise.all([deps.factor.data(id), deps.factor.mustHave(id)]);
    return twoFactorSection(visit, { ...factor, mustStay });
  },
  steps: {
    'two-factor-on': { needs: 'fresh sign-in', run: unlessEnabled(deps, propose(deps)) },
    'two-factor-confirm': { needs: 'fresh sign-in', run: unlessEnabled(deps, confirm(deps)) },
    'recovery-codes-file': { run: download },
    'two-factor-off': { needs: 'password', run: disable(deps) },
    'recovery-codes': {
      needs: 'fresh sign-in',
      run: async (visit) => ({ show: await newRecoveryCodes(deps, visit) }),
    },
  },
});
