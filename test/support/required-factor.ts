// Set-up for tests of a second factor that everybody of a domain must have.
import { before } from 'node:test';
import { assertOk } from './answers.ts';
import { type TestApi, uniqueName } from './api.ts';
import { makeUser } from './relying-party.ts';
import { Phone } from './second-factor.ts';
import { type BrowserPage, TestBrowser } from './test-browser.ts';

export const SECURITY = '/account/security';
/** What the API answers to a right password. */
export const MUST = /must have a second factor/;

/** The key on the page that proposes one. */
export const keyOf = ({ text }: BrowserPage): string => /<code class="copy">([A-Z2-7]+)<\/code>/.exec(text)![1]!;
export const isSignedIn = ({ url, status }: BrowserPage): boolean => status === 200 && new URL(url).pathname === SECURITY;

type Person = Awaited<ReturnType<typeof makeUser>>;

/** A domain where everybody must have one, and its people. */
export function usesStrictDomain(api: TestApi) {
  let made: { readonly id: string; readonly name: string };
  const require = async (policy: 'required' | null): Promise<void> =>
    void assertOk(await api.patch(`/v3/OS-SERVICE/domains/${made.id}/settings`, { settings: { 'two_factor.policy': policy } }));
  before(async () => {
    made = await api.make('domain', { name: uniqueName('strict') });
    await require('required');
  });
  const factorOf = (id: string): Promise<boolean> =>
    api.get(`/v3/users/${id}/OS-TWO-FACTOR/two_factor_auth`).then((answer) => assertOk(answer).two_factor_auth.enabled);
  /** At the account page, by the password. */
  const enter = async ({ name, password }: { name: string; password: string }, browser = new TestBrowser(api)) => {
    const page = await browser.submit(await browser.go(SECURITY), 'password', { name, password, domain: made.name });
    return { browser, page };
  };
  return {
    domain: () => made,
    require,
    factorOf,
    enter,
    make: (values: object = {}): Promise<Person> => makeUser(api, { domain_id: made.id, ...values }),
    /** Turns it on while signing in, up to the recovery codes. */
    async enrol(person: Person, at?: Awaited<ReturnType<typeof enter>>) {
      const { browser, page } = at ?? (await enter(person));
      const phone = new Phone(api, keyOf(page));
      return { browser, phone, page: await browser.submit(page, 'factor-create', { code: phone.fresh() }) };
    },
  };
}
