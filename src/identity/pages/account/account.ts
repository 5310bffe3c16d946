// /account: the pages where a signed-in person manages their own account.
import type { Provider } from 'oidc-provider';
import type { Factor } from '../../directory/two-factor/index.ts';
import { fail } from '../../ground/faults.ts';
import {
  type BrowserRequest,
  formToken,
  type Html,
  type PageRefusal,
  type PageWords,
  refusal,
  refusalOf,
  sendAnswer,
} from '../../ground/look/index.ts';
import { ACCOUNT_PAGES, type AccountPageName } from '../../openid/paths/index.ts';
import { findBackLink } from './back-link.ts';
import { type AccountForm, readAccountForm } from './form.ts';
import { type AccountPageContent, accountPage } from './layout.ts';
import type { AccountStep, AccountStepResult, AccountVisit } from './section.ts';
import { type AccountSectionDeps, createAccountSections } from './sections.ts';
import { askToSignIn, findSignedInPerson, lookFor, redirectToSignIn, type SignedInPersonDeps } from './signed-in-person.ts';
import { redirectWithMessage, takeMessage } from './success.ts';

export interface AccountDeps extends SignedInPersonDeps, AccountSectionDeps {
  readonly factor: Factor;
  issuer(): string;
}

/** What a page shows beside its sections. `replaced` is shown instead of them. */
interface PageState {
  readonly success?: string | undefined;
  readonly refused?: PageRefusal | undefined;
  readonly replaced?: Html | undefined;
  readonly script?: boolean | undefined;
}

const titleOf = (words: PageWords, name: AccountPageName): string => words.accountPages[name];

async function needsSignIn({ factor, freshLogin }: AccountDeps, { person }: AccountVisit, step: AccountStep): Promise<boolean> {
  const { user, session, login } = person;
  // A second factor, or a role that requires a passkey, may be newer than the session. Then it changes nothing.
  if (!(await freshLogin.isEnough(login))) return true;
  if (step.needs === undefined || freshLogin.isFresh(Number(session.loginTs) * 1000)) return false;
  return step.needs === 'fresh sign-in' || factor.isEnabled(user.id);
}

/** A refused step as a result: its message, and the field that was wrong. */
async function runStep(step: AccountStep, visit: AccountVisit, form: AccountForm): Promise<AccountStepResult> {
  try {
    return await step.run(visit, form);
  } catch (error) {
    const { words } = visit.look;
    const refusal = refusalOf(words, error, words.wrongPassword);
    return { error: refusal.message, refusal };
  }
}

export function createAccountHandler(deps: AccountDeps) {
  const sections = createAccountSections(deps);
  const pages = (Object.keys(ACCOUNT_PAGES) as AccountPageName[]).filter((name) => sections.some(({ page }) => page === name));

  async function show(name: AccountPageName, visit: AccountVisit, state: PageState): Promise<void> {
    const { look, browser } = visit;
    const own = sections.filter(({ page }) => page === name);
    const content: AccountPageContent = {
      back: await findBackLink(deps, visit.person.session),
      title: titleOf(look.words, name),
      menu: pages.map((one) => ({ path: ACCOUNT_PAGES[one], title: titleOf(look.words, one), isCurrent: one === name })),
      // A step that is not finished, or what is shown only once, has the page for itself.
      sections: state.replaced ? [state.replaced] : await Promise.all(own.map((section) => section.show(visit))),
      error: state.refused?.message,
      success: state.success,
      script: state.script,
      once: state.replaced !== undefined,
    };
    sendAnswer(browser, accountPage(look, content), state.refused);
  }

  async function submit(name: AccountPageName, visit: AccountVisit, form: AccountForm): Promise<void> {
    const { browser, action } = visit;
    const stepName = form.text('step');
    const section = sections.find(({ page, steps = {} }) => page === name && Object.hasOwn(steps, stepName));
    const step = section?.steps?.[stepName];
    if (!step) return show(name, visit, {});
    if (await needsSignIn(deps, visit, step)) return redirectToSignIn(deps.issuer(), browser, action, { prompt: 'login' });
    const result = await runStep(step, visit, form);
    if (result === 'answered') return;
    if ('done' in result) return redirectWithMessage(browser, action, result.done);
    if ('show' in result && !('error' in result)) return show(name, visit, { replaced: result.show, script: result.script });
    const refused = { step: stepName, field: result.field, message: result.error, value: form.text };
    await show(name, { ...visit, refused }, { refused: result.refusal ?? refusal(result.error), replaced: result.show });
  }

  return async function serve(provider: Provider, browser: BrowserRequest, keys: readonly string[]): Promise<void> {
    const name = pages.find((one) => ACCOUNT_PAGES[one] === browser.path) ?? fail('route.not_found');
    const action = ACCOUNT_PAGES[name];
    const person = await findSignedInPerson(deps, provider, browser, keys);
    if (!person) return askToSignIn(deps.issuer(), browser, action);
    const look = await lookFor(deps, browser.look, person.user);
    const about = `account ${person.session.uid}`;
    const visit: AccountVisit = { look, action, token: formToken(keys[0]!, about), person, browser };
    if (browser.method !== 'POST') return show(name, visit, { success: takeMessage(browser, look.words) });
    await submit(name, visit, await readAccountForm(browser, keys, about));
  };
}

export type AccountHandler = ReturnType<typeof createAccountHandler>;
