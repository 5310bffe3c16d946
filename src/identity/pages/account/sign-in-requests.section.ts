// Applications that ask the person to sign in who is somewhere else: the person answers here, and says who may ask.
import { acrOf, satisfies, shortenAddress } from '../../openid/provider/index.ts';
import { isSignInCode, type SignInRequestChoice, type SignInRequests } from '../../openid/sign-in-requests/index.ts';
import type { AccountSection, AccountStep, AccountVisit } from './section.ts';
import { requestsSection, whoMayAskSection } from './sign-in-requests.page.ts';
import { redirectToSignIn } from './signed-in-person.ts';

export interface SignInRequestsDeps {
  readonly signInRequests: Pick<SignInRequests, 'waiting' | 'needsSignIn' | 'allow' | 'refuse' | 'choices'>;
  /** Whether a person who is signed in by these means is asked for others. */
  needsMore(userId: string, amr: readonly string[], requested: readonly string[]): Promise<boolean>;
  issuer(): string;
}

const over = ({ look: { words } }: AccountVisit) => ({ error: words.requestIsOver });

const allow =
  ({ signInRequests, needsMore, issuer }: SignInRequestsDeps): AccountStep['run'] =>
  async (visit, form) => {
    const { user, session, actor, lifetimes } = visit.person;
    const id = form.text('request');
    const asked = (await signInRequests.waiting(user.id)).find((one) => one.id === id);
    if (!asked) return over(visit);
    const amr = session.amr ?? [];
    const { acrValues } = asked;
    const authTime = Number(session.loginTs);
    if (signInRequests.needsSignIn(asked, authTime)) {
      const stronger = acrValues.length > 0 ? { acr_values: acrValues.join(' ') } : {};
      redirectToSignIn(issuer(), visit.browser, visit.action, { prompt: 'login', ...stronger });
      return 'answered';
    }
    if (acrValues.length > 0 && (await needsMore(user.id, amr, acrValues))) {
      redirectToSignIn(issuer(), visit.browser, visit.action, { acr_values: acrValues.join(' ') });
      return 'answered';
    }
    if (asked.isAcrEssential && !satisfies(amr, acrValues)) return { error: visit.look.words.requestNeedsMore };
    const isAllowed = await signInRequests.allow(actor, user.id, id, {
      acr: acrOf(amr, acrValues),
      amr,
      authTime,
      sessionUid: session.uid,
      lifetime: lifetimes.refreshTokenSeconds,
    });
    return isAllowed ? { done: 'requestIsAllowed' } : over(visit);
  };

const refuse =
  ({ signInRequests }: SignInRequestsDeps): AccountStep['run'] =>
  async (visit, form) => {
    const { user, actor } = visit.person;
    return (await signInRequests.refuse(actor, user.id, form.text('request'))) ? { done: 'requestIsRefused' } : over(visit);
  };

const CHOICES: readonly SignInRequestChoice[] = ['all', 'code', 'none'];

const choose =
  ({ signInRequests }: SignInRequestsDeps): AccountStep['run'] =>
  async ({ look: { words }, person: { user, actor } }, form) => {
    const choice = CHOICES.find((one) => one === form.text('choice')) ?? 'all';
    const code = form.text('code').trim();
    if (choice === 'code' && !isSignInCode(code)) return { error: words.askCodeWrong, field: 'code' };
    await signInRequests.choices.set(actor, user.id, choice, code);
    return { done: 'choiceIsSaved' };
  };

/** At the top of the first page, where the mail leads. */
export const createRequestsSection = (deps: SignInRequestsDeps): AccountSection => ({
  page: 'overview',
  async show(visit) {
    const requests = await deps.signInRequests.waiting(visit.person.user.id);
    if (requests.length === 0) return undefined;
    const shown = requests.map(({ scope, at, ...one }) => ({
      ...one,
      scopes: scope.split(' '),
      at: at.map((api) => ({ ...api, address: shortenAddress(api.address) })),
    }));
    return requestsSection(visit, shown);
  },
  steps: {
    'allow-request': { needs: 'fresh sign-in', run: allow(deps) },
    'refuse-request': { run: refuse(deps) },
  },
});

export const createWhoMayAskSection = ({ signInRequests, ...deps }: SignInRequestsDeps): AccountSection => ({
  page: 'applications',
  show: async (visit) => whoMayAskSection(visit, await signInRequests.choices.of(visit.person.user.id)),
  steps: { 'who-may-ask': { needs: 'fresh sign-in', run: choose({ ...deps, signInRequests }) } },
});
