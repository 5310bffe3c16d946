// The page that the link to a new e-mail address opens. The person must be signed in: the link alone proves only that somebody reads the
// mailbox, and the address may have been mistyped.

import type { Provider } from 'oidc-provider';
import { Fault } from '../../../platform/faults/index.ts';
import {
  type BrowserRequest,
  checkFormToken,
  formToken,
  type PageRefusal,
  readForm,
  refusal,
  refusalOf,
  sendAnswer,
  sendPage,
} from '../../ground/look/index.ts';
import { NEW_EMAIL_PAGE } from '../../openid/paths/index.ts';
import type { EmailChange } from '../../provisioning/people/index.ts';
import { askToSignIn, findSignedInPerson, lookFor, type SignedInPersonDeps } from '../account/index.ts';
import { emailChangedPage, linkEndedPage, newEmailPage } from './people-pages.ts';
import { queryOf, strangerOf, textIn } from './stranger.ts';

export interface NewEmailDeps extends SignedInPersonDeps {
  readonly emailChange: EmailChange;
  issuer(): string;
}

const SECURITY_PAGE = '/account/security#email-address';

export function createNewEmailPage(deps: NewEmailDeps) {
  const { emailChange, issuer } = deps;
  return async function serve(provider: Provider, browser: BrowserRequest, keys: readonly string[]): Promise<void> {
    const isForm = browser.method === 'POST';
    const values = isForm ? await readForm(browser) : queryOf(browser);
    // After a sign-in, the token comes back as `state`.
    const token = textIn(values, 'token') || textIn(values, 'state');
    const link = await emailChange.open(strangerOf(browser), token);
    const person = await findSignedInPerson(deps, provider, browser, keys);
    const isEnough = person !== undefined && (await deps.freshLogin.isEnough(person.login));
    if (link && !isEnough) return askToSignIn(issuer(), browser, NEW_EMAIL_PAGE, token);
    const look = person ? await lookFor(deps, browser.look, person.user) : browser.look;
    const { words } = look;
    const ended = (): void => sendPage(browser, linkEndedPage(look, { href: SECURITY_PAGE, label: words.manageAccount }), 400);
    if (!link || !person || link.userId !== person.user.id) return ended();
    const about = `new-email ${person.session.uid}`;
    const show = (refused?: PageRefusal): void => {
      const form = { error: refused?.message, token, formToken: formToken(keys[0]!, about) };
      sendAnswer(browser, newEmailPage(look, { ...form, address: link.address, name: person.user.name }), refused);
    };
    if (!isForm) return show();
    checkFormToken(values, keys, about);
    try {
      await emailChange.confirm({ ...person.actor, userId: person.user.id }, token);
    } catch (error) {
      if (error instanceof Fault && (error.code === 'link.ended' || error.code === 'auth.required')) return ended();
      if (error instanceof Fault && error.status === 409) return show(refusal(words.accountExists));
      return show(refusalOf(words, error, ''));
    }
    sendPage(browser, emailChangedPage(look, link.address));
  };
}

export type NewEmailPage = ReturnType<typeof createNewEmailPage>;
