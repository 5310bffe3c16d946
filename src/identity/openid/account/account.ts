// /account: the page where a signed-in person manages their own account.
import type { Provider } from 'oidc-provider';
import { accountPage } from '../pages/account-page.ts';
import { type BrowserRequest, checkFormToken, formToken, readForm, redirect, sendPage } from '../pages/browser.ts';
import { messageFor } from '../pages/messages.ts';
import { type AccountPageDeps, type AccountPageResult, readAccountPageData, readerOf } from './account-page-data.ts';
import { findSignedInPerson, redirectToSignIn, type SignedInPersonDeps } from './signed-in-person.ts';
import { type AccountStepDeps, runAccountStep } from './steps.ts';

export interface AccountDeps extends SignedInPersonDeps, AccountStepDeps, AccountPageDeps {
  issuer(): string;
}

export function createAccountHandler(deps: AccountDeps) {
  return async function serve(provider: Provider, browser: BrowserRequest, keys: readonly string[]): Promise<void> {
    const person = await findSignedInPerson(deps, provider, browser, keys);
    if (!person) return redirectToSignIn(deps.issuer(), browser);
    const look = browser.look.for(readerOf(person.user));
    const about = `account ${person.session.uid}`;
    const show = async (result: AccountPageResult): Promise<void> => {
      const data = await readAccountPageData(deps, person, formToken(keys[0]!, about), result);
      sendPage(browser, accountPage(look, data), result.error ? 400 : 200);
    };
    if (browser.method !== 'POST') return show({});
    const form = await readForm(browser);
    checkFormToken(form, keys, about);
    try {
      const outcome = await runAccountStep(deps, person, form, look.words);
      if (outcome === 'sign in again') return redirectToSignIn(deps.issuer(), browser, { prompt: 'login' });
      return outcome === 'signed out' ? redirect(browser, '/account') : await show(outcome);
    } catch (error) {
      return show({ error: messageFor(look.words, error, look.words.wrongPassword) });
    }
  };
}

export type AccountHandler = ReturnType<typeof createAccountHandler>;
