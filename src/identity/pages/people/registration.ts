// The pages where people register themselves.

import { Fault } from '../../../platform/faults/index.ts';
import { DEFAULT_DOMAIN } from '../../access/context/index.ts';
import type { DomainLooks } from '../../directory/domain-looks/index.ts';
import {
  type BrowserRequest,
  type PageRefusal,
  refusal,
  refusalOf,
  sendAnswer,
  sendPage,
  withBrand,
} from '../../ground/look/index.ts';
import { REGISTER_PAGE } from '../../openid/paths/index.ts';
import {
  isAllowed,
  type OpenDomain,
  type OpenRegistration,
  readAddress,
  type SelfRegistration,
} from '../../provisioning/people/index.ts';
import { asksWholeName, FIELDS, type FieldValues } from '../../provisioning/registration/index.ts';
import {
  accountReadyPage,
  accountWaitsPage,
  confirmEmailPage,
  linkEndedPage,
  mailSentPage,
  registerPage,
  registrationClosedPage,
} from './people-pages.ts';
import { interactionIn, type StrangerPage, strangerOf, textIn } from './stranger.ts';

export interface RegistrationPagesDeps {
  readonly selfRegistration: SelfRegistration;
  readonly domainLooks: DomainLooks;
}

const MAX_NAME = 100;

/** One line of printable characters. */
const readLine = (form: URLSearchParams, name: string): string =>
  [...textIn(form, name).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')].slice(0, MAX_NAME).join('').trim();

const readFields = (form: URLSearchParams): FieldValues =>
  Object.fromEntries(FIELDS.map((field) => [field, readLine(form, field)]));

/** Links and hidden fields name the domain, unless it is the default one. */
export const domainValue = ({ id, name }: OpenDomain): string => (id === DEFAULT_DOMAIN ? '' : name);

export function register({ selfRegistration, domainLooks }: RegistrationPagesDeps): StrangerPage {
  const showForm = (
    browser: BrowserRequest,
    domain: OpenDomain,
    values: { email: string; interaction: string | undefined },
    refused?: PageRefusal,
  ): void => {
    const about = { ...domain, domain: domainValue(domain), ...values, refused };
    sendAnswer(browser, registerPage(browser.look, about), refused);
  };
  const inDomain = async (browser: BrowserRequest, { id }: OpenDomain): Promise<BrowserRequest> =>
    withBrand(browser, await domainLooks.brandOf(id));
  const showClosed = (browser: BrowserRequest, interaction: string | undefined): void =>
    sendPage(browser, registrationClosedPage(browser.look, interaction), 403);

  return {
    async show(browser, query) {
      const interaction = interactionIn(query);
      const domain = await selfRegistration.findOpenDomain(textIn(query, 'domain'));
      if (!domain) return showClosed(browser, interaction);
      showForm(await inDomain(browser, domain), domain, { email: '', interaction });
    },
    async submit(asked, form) {
      const [email, interaction] = [textIn(form, 'email'), interactionIn(form)];
      const domain = await selfRegistration.findOpenDomain(textIn(form, 'domain'));
      if (!domain) return showClosed(asked, interaction);
      const browser = await inDomain(asked, domain);
      const { words } = browser.look;
      // Both depend on what was typed and on settings, not on accounts.
      const address = readAddress(email);
      if (address === undefined) return showForm(browser, domain, { email, interaction }, refusal(words.noAddress, 400, 'email'));
      if (!isAllowed(address, domain.allowed))
        return showForm(browser, domain, { email, interaction }, refusal(words.addressNotAllowed, 400, 'email'));
      try {
        await selfRegistration.request(strangerOf(browser), { address, domain, interaction, language: words.language });
      } catch (error) {
        return showForm(browser, domain, { email, interaction }, refusalOf(words, error, ''));
      }
      sendPage(browser, mailSentPage(browser.look, { text: words.registerSent(address), interaction }));
    },
  };
}

export function confirmEmail({ selfRegistration, domainLooks }: RegistrationPagesDeps): StrangerPage {
  const showEnded = (browser: BrowserRequest): void => {
    const { look } = browser;
    sendPage(browser, linkEndedPage(look, { href: REGISTER_PAGE, label: look.words.register }), 400);
  };
  const showForm = async (
    asked: BrowserRequest,
    about: { token: string; opened: OpenRegistration; name: string; values: FieldValues },
    refused?: PageRefusal,
  ): Promise<void> => {
    const { domain, link } = about.opened;
    const browser = withBrand(asked, await domainLooks.brandOf(domain.id));
    const terms = selfRegistration.terms(domain);
    const shown = { ...about, address: link.address, uses: domain.fields, terms, refused };
    sendAnswer(browser, confirmEmailPage(browser.look, shown), refused);
  };

  return {
    /** Changes nothing: programs that check mails open links, too. */
    async show(browser, query) {
      const token = textIn(query, 'token');
      const opened = await selfRegistration.open(strangerOf(browser), token);
      const values = { language: browser.look.words.language };
      return opened ? showForm(browser, { token, opened, name: '', values }) : showEnded(browser);
    },
    async submit(browser, form) {
      const { words } = browser.look;
      const [stranger, token, name] = [strangerOf(browser), textIn(form, 'token'), readLine(form, 'name')];
      const fields = readFields(form);
      const opened = await selfRegistration.open(stranger, token);
      if (!opened) return showEnded(browser);
      const { address, data } = opened.link;
      const refuse = (refused: PageRefusal): Promise<void> => showForm(browser, { token, opened, name, values: fields }, refused);
      const password = form.get('new_password') ?? '';
      if (name === '' && asksWholeName(opened.domain.fields)) return refuse(refusal(words.noName, 400, 'name'));
      if (password !== form.get('new_password_again')) return refuse(refusal(words.passwordsDiffer, 400, 'new_password_again'));
      let waits: boolean;
      try {
        waits = await selfRegistration.complete(stranger, opened, token, {
          name,
          fields,
          password,
          language: words.language,
          acceptedTerms: textIn(form, 'terms') || undefined,
        });
      } catch (error) {
        if (error instanceof Fault && error.code === 'link.ended') return showEnded(browser);
        // Only the reader of the mailbox learns it.
        if (error instanceof Fault && error.status === 409) return refuse(refusal(words.accountExists, 409));
        return refuse(refusalOf(words, error, ''));
      }
      const interaction = typeof data.interaction === 'string' ? data.interaction : undefined;
      const { look } = withBrand(browser, await domainLooks.brandOf(opened.domain.id));
      const done = waits
        ? accountWaitsPage(look, { address, interaction })
        : accountReadyPage(look, { userName: address, interaction });
      sendPage(browser, done);
    },
  };
}
