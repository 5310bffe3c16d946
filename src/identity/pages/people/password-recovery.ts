// The pages for a forgotten password.

import { Fault } from '../../../platform/faults/index.ts';
import type { DelegatedAccess } from '../../delegation/delegated-access/index.ts';
import type { DomainLooks } from '../../directory/domain-looks/index.ts';
import type { Passkeys } from '../../directory/passkeys/index.ts';
import {
  type BrowserRequest,
  type PageRefusal,
  refusal,
  refusalOf,
  sendAnswer,
  sendPage,
  withBrand,
} from '../../ground/look/index.ts';
import { FORGOTTEN_PASSWORD_PAGE } from '../../openid/paths/index.ts';
import type { PasswordRecovery } from '../../provisioning/people/index.ts';
import { forgottenPasswordPage, linkEndedPage, mailSentPage, passwordSavedPage, resetPasswordPage } from './people-pages.ts';
import { interactionIn, type StrangerPage, strangerOf, textIn } from './stranger.ts';

export interface PasswordRecoveryPagesDeps {
  readonly passwordRecovery: PasswordRecovery;
  readonly passkeys: Passkeys;
  readonly delegatedAccess: DelegatedAccess;
  readonly domainLooks: DomainLooks;
}

const isEnded = (error: unknown): boolean =>
  error instanceof Fault && (error.code === 'link.ended' || error.code === 'auth.required');

export function forgottenPassword({ passwordRecovery, domainLooks }: PasswordRecoveryPagesDeps): StrangerPage {
  return {
    async show(browser, query) {
      const about = { name: textIn(query, 'name'), domain: textIn(query, 'domain'), interaction: interactionIn(query) };
      const { look } = withBrand(browser, await domainLooks.brandNamed(about.domain));
      sendPage(browser, forgottenPasswordPage(look, about));
    },
    async submit(browser, form) {
      const typed = { name: textIn(form, 'name'), domain: textIn(form, 'domain'), interaction: interactionIn(form) };
      const { look } = withBrand(browser, await domainLooks.brandNamed(typed.domain));
      try {
        await passwordRecovery.request(strangerOf(browser), { ...typed, language: look.words.language });
      } catch (error) {
        const refused = refusalOf(look.words, error, '');
        return sendAnswer(browser, forgottenPasswordPage(look, { ...typed, error: refused.message }), refused);
      }
      sendPage(browser, mailSentPage(look, { text: look.words.forgottenSent, interaction: typed.interaction }));
    },
  };
}

export function newPassword({
  passwordRecovery,
  passkeys,
  delegatedAccess,
  domainLooks,
}: PasswordRecoveryPagesDeps): StrangerPage {
  const showEnded = (browser: BrowserRequest): void => {
    const { look } = browser;
    const again = { href: FORGOTTEN_PASSWORD_PAGE, label: look.words.forgottenPassword };
    sendPage(browser, linkEndedPage(look, again), 400);
  };
  const showForm = (browser: BrowserRequest, token: string, name: string, refused?: PageRefusal): void =>
    sendAnswer(browser, resetPasswordPage(browser.look, { token, name, refused }), refused);
  const inDomainOf = async (browser: BrowserRequest, user: { readonly domain_id: string }): Promise<BrowserRequest> =>
    withBrand(browser, await domainLooks.brandOf(user.domain_id));

  return {
    /** Changes nothing: programs that check mails open links, too. */
    async show(browser, query) {
      const token = textIn(query, 'token');
      const opened = await passwordRecovery.open(strangerOf(browser), token);
      if (!opened) return showEnded(browser);
      showForm(await inDomainOf(browser, opened.user), token, opened.user.name);
    },
    async submit(asked, form) {
      const token = textIn(form, 'token');
      const stranger = strangerOf(asked);
      const opened = await passwordRecovery.open(stranger, token);
      if (!opened) return showEnded(asked);
      const { user, link } = opened;
      const browser = await inDomainOf(asked, user);
      const { look } = browser;
      const password = form.get('new_password') ?? '';
      if (password !== form.get('new_password_again'))
        return showForm(browser, token, user.name, refusal(look.words.passwordsDiffer, 400, 'new_password_again'));
      try {
        await passwordRecovery.reset(stranger, opened, token, password);
      } catch (error) {
        if (isEnded(error)) return showEnded(browser);
        return showForm(browser, token, user.name, refusalOf(look.words, error, ''));
      }
      const interaction = typeof link.data.interaction === 'string' ? link.data.interaction : undefined;
      const names = (await passkeys.list(user.id)).map(({ name }) => name);
      const delegated = await delegatedAccess.list(user.id);
      sendPage(browser, passwordSavedPage(look, { interaction, passkeys: names, delegated }));
    },
  };
}
