// Invites people, and opens the links in their mails.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type ParsedMail, simpleParser } from 'mailparser';
import { assertOk } from './answers.ts';
import { type ApiAnswer, type RequestOptions, type TestApi, uniqueName } from './api.ts';
import type { MailServer } from './mail-server.ts';
import { type BrowserPage, TestBrowser } from './test-browser.ts';

export const INVITATIONS = '/v3/OS-REGISTRATION/invitations';
export const NEW_PASSWORD = 'the password that eve chose';

export interface InvitedPerson {
  /** As the API shows it. */
  readonly invitation: { readonly id: string; readonly email: string; readonly [field: string]: unknown };
  readonly link: string;
}

const LINK = /http\S+\/openid\/invitation\?token=[\w-]{43}/;

export const newAddress = (): string => `${uniqueName('eve')}@example.org`;
export const tokenOf = (link: string): string => new URL(link).searchParams.get('token')!;

export class InvitationClient {
  readonly #api: TestApi;
  readonly #server: MailServer | undefined;
  /** Without a mail server, mails are files in the data folder. */
  constructor(api: TestApi, server?: MailServer) {
    this.#api = api;
    this.#server = server;
  }

  /** Invitations only: mails of another kind to the same address may still be on their way. */
  async #mailsTo(address: string): Promise<ParsedMail[]> {
    return (await this.#allMailsTo(address)).filter(({ text }) => LINK.test(text ?? ''));
  }

  async #allMailsTo(address: string): Promise<ParsedMail[]> {
    if (this.#server) return this.#server.to(address).map(({ mail }) => mail);
    const folder = join(this.#api.folder, 'mail');
    const mails: ParsedMail[] = [];
    for (const name of existsSync(folder) ? readdirSync(folder).sort() : [])
      if (name.endsWith('.eml')) mails.push(await simpleParser(readFileSync(join(folder, name))));
    return mails.filter(({ to }) => !Array.isArray(to) && to?.value.some((one) => one.address === address));
  }

  create = (values: Record<string, unknown>, options?: RequestOptions): Promise<ApiAnswer> =>
    this.#api.post(INVITATIONS, { invitation: values }, options);
  show = (id: string, options?: RequestOptions): Promise<ApiAnswer> => this.#api.get(`${INVITATIONS}/${id}`, options);
  resend = (id: string, options?: RequestOptions): Promise<ApiAnswer> =>
    this.#api.request('POST', `${INVITATIONS}/${id}/resend`, options);
  withdraw = (id: string, options?: RequestOptions): Promise<ApiAnswer> => this.#api.delete(`${INVITATIONS}/${id}`, options);
  statusOf = async (id: string): Promise<string> => assertOk(await this.show(id)).invitation.status;

  /** Invites someone; fails unless that works. */
  async invited(values: Record<string, unknown> = {}, options?: RequestOptions): Promise<InvitedPerson> {
    const email = typeof values.email === 'string' ? values.email : newAddress();
    const before = (await this.#mailsTo(email)).length;
    const { invitation } = assertOk(await this.create({ ...values, email }, options), 201);
    return { invitation, link: this.linkIn(await this.mailTo(email, before + 1)) };
  }

  /** Waits for this many mails to the address, and returns the last. */
  async mailTo(address: string, count = 1): Promise<ParsedMail> {
    for (const end = Date.now() + 60_000; Date.now() < end; await delay(10)) {
      const mails = await this.#mailsTo(address);
      assert.ok(mails.length <= count);
      if (mails.length === count) return mails.at(-1)!;
      // Not to wait for the job, which does it every second.
      await this.#api.service.mail.sendDue();
    }
    assert.fail(`waited for mail ${count} to ${address}`);
  }

  linkIn({ text }: ParsedMail): string {
    const [link] = LINK.exec(text ?? '') ?? [];
    assert.ok(link, text);
    return link;
  }

  /** Opens the link in a new browser. */
  async opened(link: string): Promise<{ browser: TestBrowser; page: BrowserPage }> {
    const browser = new TestBrowser(this.#api);
    return { browser, page: await browser.go(link) };
  }

  /** Opens the link, and fills in the form for a new account. */
  async accepted(link: string, name = uniqueName('eve'), password = NEW_PASSWORD): Promise<BrowserPage & { name: string }> {
    const { browser, page } = await this.opened(link);
    return { ...(await submit(browser, page, 'create', { name, new_password: password, new_password_again: password })), name };
  }
}

/** Sends the form of this step, with these values. */
export function submit(
  browser: TestBrowser,
  page: BrowserPage,
  step: string,
  values: Record<string, string> = {},
): Promise<BrowserPage> {
  const form = page.forms.find(({ fields }) => fields.step === step);
  assert.ok(form, `no form ${step} on ${page.url}: ${page.status} ${page.text}`);
  return browser.send(new URL(form.action, page.url), { ...form.fields, ...values });
}

export const hasForm = (page: BrowserPage, step: string): boolean => page.forms.some(({ fields }) => fields.step === step);
