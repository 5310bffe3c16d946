// Somebody who signs in: follows redirects, keeps cookies, and sends the forms that it is shown. For Gatehouse and for Keycloak.

export const CALLBACK = 'https://app.example.org/callback';

export interface Person {
  readonly name: string;
  readonly password: string;
}

const MAX_STEPS = 12;

const unescaped = (text: string): string => text.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#x2F;', '/');
const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : unescaped(found);
};

export class SignIn {
  readonly #cookies = new Map<string, string>();
  readonly #person: Person;

  constructor(person: Person) {
    this.#person = person;
  }

  get cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(headers: Headers): void {
    for (const cookie of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '' || /;\s*max-age=0\b/i.test(cookie)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
  }

  /** The first form with a password, or else the first, as the person sends it. */
  #filled(page: string, base: string): { url: string; body: URLSearchParams } {
    const forms = [...page.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].map(([text]) => text);
    const form = forms.find((text) => text.includes('type="password"')) ?? forms.find((text) => text.includes('value="allow"'));
    if (form === undefined) throw new Error(`no form to sign in: ${page.slice(0, 2000)}`);
    const body = new URLSearchParams();
    for (const [tag] of form.matchAll(/<(?:input|button)\b[^>]*>/g)) {
      const [name, type] = [attribute(tag, 'name'), attribute(tag, 'type')];
      if (name === undefined || type === 'checkbox') continue;
      if (type === 'password') body.set(name, this.#person.password);
      else if (name === 'name' || name === 'username') body.set(name, this.#person.name);
      else if (type === 'hidden' || attribute(tag, 'value') === 'allow') body.set(name, attribute(tag, 'value') ?? '');
    }
    return { url: new URL(attribute(/<form\b[^>]*>/.exec(form)![0], 'action') ?? '', base).href, body };
  }

  /** From the request of an application to the answer that it gets: its parameters. */
  async authorize(address: string): Promise<URLSearchParams> {
    let next: { url: string; body?: URLSearchParams } = { url: address };
    for (let step = 0; step < MAX_STEPS; step++) {
      const { url, body } = next;
      const answer = await fetch(url, {
        redirect: 'manual',
        headers: { Cookie: this.cookies, Accept: 'text/html,*/*;q=0.8', ...(body ? { Origin: new URL(url).origin } : {}) },
        ...(body ? { method: 'POST', body } : {}),
      });
      this.#keep(answer.headers);
      const [text, location] = [await answer.text(), answer.headers.get('location')];
      const target = location === null ? undefined : new URL(location, url).href;
      if (target?.startsWith(CALLBACK)) return new URL(target).searchParams;
      next = target === undefined ? this.#filled(text, url) : { url: target };
    }
    throw new Error(`${address}: too many steps`);
  }
}
