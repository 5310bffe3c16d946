// The pages for people who are not signed in, by their path.

import { type BrowserRequest, type PageWords, readForm } from '../../ground/look/index.ts';
import { CONFIRM_EMAIL_PAGE, FORGOTTEN_PASSWORD_PAGE, NEW_PASSWORD_PAGE, REGISTER_PAGE } from '../../openid/paths/index.ts';
import type { PageLink } from '../sign-in/index.ts';
import { forgottenPassword, newPassword, type PasswordRecoveryPagesDeps } from './password-recovery.ts';
import { confirmEmail, domainValue, type RegistrationPagesDeps, register } from './registration.ts';
import { queryOf, type StrangerPage } from './stranger.ts';

export type PeoplePagesDeps = PasswordRecoveryPagesDeps & RegistrationPagesDeps;

export function createPeoplePages(deps: PeoplePagesDeps) {
  const pages: ReadonlyMap<string, StrangerPage> = new Map([
    [FORGOTTEN_PASSWORD_PAGE, forgottenPassword(deps)],
    [NEW_PASSWORD_PAGE, newPassword(deps)],
    [REGISTER_PAGE, register(deps)],
    [CONFIRM_EMAIL_PAGE, confirmEmail(deps)],
  ]);
  return {
    /** Links on the sign-in page. Registration is for the domain that the person typed, else for the default one. */
    async linksFor(words: PageWords, interaction: string, typed: string): Promise<readonly PageLink[]> {
      const query = new URLSearchParams({ interaction, ...(typed === '' ? {} : { domain: typed }) });
      const forgotten = { href: `${FORGOTTEN_PASSWORD_PAGE}?${query}`, label: words.forgottenPassword };
      const open = await deps.selfRegistration.findOpenDomain(typed);
      if (!open) return [forgotten];
      const domain = domainValue(open);
      const asked = new URLSearchParams({ interaction, ...(domain === '' ? {} : { domain }) });
      return [forgotten, { href: `${REGISTER_PAGE}?${asked}`, label: words.register }];
    },

    has: (path: string): boolean => pages.has(path),

    async serve(browser: BrowserRequest): Promise<void> {
      const page = pages.get(browser.path)!;
      if (browser.method === 'POST') return page.submit(browser, await readForm(browser));
      return page.show(browser, queryOf(browser));
    },
  };
}

export type PeoplePages = ReturnType<typeof createPeoplePages>;
