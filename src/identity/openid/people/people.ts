// The pages for people who are not signed in, by their path.
import { FORGOTTEN_PASSWORD_PAGE, NEW_PASSWORD_PAGE } from '../../people/index.ts';
import { type BrowserRequest, readForm } from '../pages/browser.ts';
import type { PageLink } from '../pages/sign-in-pages.ts';
import type { PageWords } from '../pages/words/index.ts';
import { forgottenPassword, newPassword, type PasswordRecoveryPagesDeps } from './password-recovery.ts';
import type { StrangerPage } from './stranger.ts';

export type PeoplePagesDeps = PasswordRecoveryPagesDeps;

export function createPeoplePages(deps: PeoplePagesDeps) {
  const pages: ReadonlyMap<string, StrangerPage> = new Map([
    [FORGOTTEN_PASSWORD_PAGE, forgottenPassword(deps)],
    [NEW_PASSWORD_PAGE, newPassword(deps)],
  ]);
  return {
    /** Links on the sign-in page. */
    async linksFor(words: PageWords, interaction: string, _domain: string): Promise<readonly PageLink[]> {
      return [{ href: `${FORGOTTEN_PASSWORD_PAGE}?interaction=${interaction}`, label: words.forgottenPassword }];
    },

    has: (path: string): boolean => pages.has(path),

    async serve(browser: BrowserRequest): Promise<void> {
      const page = pages.get(browser.path)!;
      if (browser.method === 'POST') return page.submit(browser, await readForm(browser));
      return page.show(browser, new URL(browser.exchange.request.url ?? '/', 'http://localhost').searchParams);
    },
  };
}

export type PeoplePages = ReturnType<typeof createPeoplePages>;
