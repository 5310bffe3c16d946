// /account: a person who is signed in looks after their own account.
import type { Provider } from 'oidc-provider';
import { Fault } from '../../../platform/faults/index.ts';
import { accountPage } from '../pages/account-page.ts';
import { type Browser, checkFormToken, formToken, readForm, redirect, sendPage } from '../pages/browser.ts';
import { english } from '../pages/words.ts';
import { askToSignIn, type SignedInDeps, signedIn } from './signed-in.ts';
import { type StepDeps, takeStep } from './steps.ts';
import { type Shown, type ViewDeps, viewOf } from './view.ts';

export interface AccountDeps extends SignedInDeps, StepDeps, ViewDeps {
  issuer(): string;
}

export function createAccount(deps: AccountDeps) {
  return async function serve(provider: Provider, browser: Browser, keys: readonly string[]): Promise<void> {
    const person = await signedIn(deps, provider, browser);
    if (!person) return askToSignIn(deps.issuer(), browser);
    const about = `account ${person.session.uid}`;
    const show = async (shown: Shown): Promise<void> => {
      const view = await viewOf(deps, person, formToken(keys[0]!, about), shown);
      sendPage(browser, accountPage(view), shown.wrong ? 400 : 200);
    };
    if (browser.method !== 'POST') return show({});
    const form = await readForm(browser);
    checkFormToken(form, keys, about);
    try {
      const outcome = await takeStep(deps, person, form);
      if (outcome === 'sign in again') return askToSignIn(deps.issuer(), browser, { prompt: 'login' });
      return outcome === 'signed out' ? redirect(browser, '/account') : await show(outcome);
    } catch (error) {
      if (!(error instanceof Fault) || error.status >= 500) throw error;
      return show({ wrong: error.code === 'auth.required' ? english.wrongPassword : error.message });
    }
  };
}

export type Account = ReturnType<typeof createAccount>;
