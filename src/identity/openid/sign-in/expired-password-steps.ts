// The step of a sign-in whose password has expired: a new one, with what the account asks for beside the old one.
import type { BrowserRequest } from '../pages/browser.ts';
import { sendAnswer } from '../pages/browser.ts';
import { type PageRefusal, refusal, refusalOf } from '../pages/messages.ts';
import { newPasswordPage } from '../pages/sign-in-pages.ts';
import type { ShownBeside } from './expired-passwords.ts';
import type { InteractionRequest } from './interaction-request.ts';
import type { LoginAttempt, SignIn } from './sign-in.ts';

interface LoginName {
  readonly name: string;
  readonly domain: string;
}

/** What the sign-in does before and after it. */
interface AroundExpired {
  showSignIn(login: LoginName & { readonly refused: PageRefusal }): Promise<void>;
  /** `beside`: what was shown in the same request. */
  checkPassword(login: LoginName, password: string, beside: ShownBeside): Promise<void>;
}

const text = (form: URLSearchParams, name: string): string => form.get(name) ?? '';

export class ExpiredPasswordSteps {
  readonly #signIn: SignIn;
  readonly #request: InteractionRequest;
  readonly #attempt: LoginAttempt;
  readonly #around: AroundExpired;

  constructor(signIn: SignIn, request: InteractionRequest, attempt: LoginAttempt, around: AroundExpired) {
    this.#signIn = signIn;
    this.#request = request;
    this.#attempt = attempt;
    this.#around = around;
  }

  get #words(): BrowserRequest['look']['words'] {
    return this.#request.browser.look.words;
  }

  #show(login: LoginName, refused: PageRefusal, asksCode: boolean): void {
    const { browser, form } = this.#request;
    sendAnswer(browser, newPasswordPage(browser.look, { ...form, ...login, asksCode, error: refused.message }), refused);
  }

  /** For somebody who has just entered the expired password. */
  async begin(login: LoginName): Promise<void> {
    const beside = await this.#signIn.besideExpired(login);
    if (beside === 'passkey') return this.#around.showSignIn({ ...login, refused: refusal(this.#words.expiredUsePasskey, 401) });
    this.#show(login, refusal(this.#words.expiredPassword, 401), beside === 'code');
  }

  /** Changes the expired password, then signs in with the new one. */
  async submit(login: LoginName, form: URLSearchParams): Promise<void> {
    const fresh = text(form, 'new_password');
    const asksCode = form.has('code');
    if (fresh !== text(form, 'new_password_again')) return this.#show(login, refusal(this.#words.passwordsDiffer), asksCode);
    let isPasswordRight = false;
    const sent = {
      code: text(form, 'code').replaceAll(/\s/g, '') || undefined,
      recovery: text(form, 'recovery_code') || undefined,
      onPassword: () => {
        isPasswordRight = true;
      },
    };
    try {
      const old = { ...login, password: text(form, 'password') };
      const beside = await this.#signIn.changePassword(old, fresh, sent, this.#attempt);
      await this.#around.checkPassword(login, fresh, beside);
    } catch (error) {
      const otherwise = isPasswordRight ? this.#words.wrongCode : this.#words.wrongPassword;
      // The factor may have been turned on since the form was shown. Others do not learn that there is one.
      const asksNow = asksCode || (isPasswordRight && (await this.#signIn.besideExpired(login)) === 'code');
      this.#show(login, refusalOf(this.#words, error, otherwise, 401), asksNow);
    }
  }
}
