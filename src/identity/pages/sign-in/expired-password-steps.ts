// The step of a sign-in whose password has expired: a new one, with what the account asks for beside the old one.
import { type BrowserRequest, type PageRefusal, refusal, refusalOf, sendAnswer } from '../../ground/look/index.ts';
import type { PasswordChangeResult, UsedPasskey } from './expired-passwords.ts';
import type { InteractionRequest } from './interaction-request.ts';
import type { LoginAttempt, SignIn } from './sign-in.ts';
import { newPasswordPage, passkeyPage } from './sign-in-pages.ts';

interface LoginName {
  readonly name: string;
  readonly domain: string;
}

/** What the sign-in does before and after it. */
interface AroundExpired {
  showSignIn(about: { readonly refused: PageRefusal }): Promise<void>;
  now(): number;
  /** `beside`: what was shown in the same request. */
  checkPassword(login: LoginName, password: string, beside: PasswordChangeResult): Promise<void>;
}

/** Stored in the interaction, for somebody who has entered an expired password and must use a passkey. */
interface PendingExpired {
  readonly login: LoginName;
  readonly userId: string;
  readonly at: number;
  readonly used?: UsedPasskey;
}

/** How long each step may take. */
const STEP_MS = 5 * 60_000;
const purposeOf = (userId: string): string => `expired ${userId}`;

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

  async #showPasskey(userId: string, refused: PageRefusal): Promise<void> {
    const { browser, form, challengesFor } = this.#request;
    const passkey = await this.#signIn.passkeyOptions(challengesFor(purposeOf(userId))[0]!, userId);
    const about = { ...form, passkey, skip: false, step: 'expired-passkey', error: refused.message };
    sendAnswer(browser, passkeyPage(browser.look, about), refused);
  }

  get #pending(): PendingExpired | undefined {
    const pending = this.#request.interaction.lastSubmission?.expired as PendingExpired | undefined;
    return pending && this.#around.now() - pending.at <= STEP_MS ? pending : undefined;
  }

  async #save(expired: PendingExpired): Promise<void> {
    const { interaction } = this.#request;
    interaction.lastSubmission = { ...interaction.lastSubmission, expired };
    await this.#request.saveProof();
  }

  /** The passkey comes before the new password, as after any password. It need not be one that can sign in alone. */
  async passkey(form: URLSearchParams): Promise<void> {
    const pending = this.#pending;
    if (!pending) return this.#around.showSignIn({ refused: refusal(this.#words.tooLate, 401) });
    const { login, userId } = pending;
    try {
      const answer = { text: text(form, 'passkey'), challenges: this.#request.challengesFor(purposeOf(userId)) };
      const used = await this.#signIn.passkeyBesideExpired(userId, answer, this.#attempt);
      await this.#save({ login, userId, at: this.#around.now(), used });
    } catch (error) {
      return this.#showPasskey(userId, refusalOf(this.#words, error, this.#words.passkeyWrong, 401));
    }
    this.#show(login, refusal(this.#words.expiredPassword, 401), false);
  }

  /** For somebody who has just entered the expired password. */
  async begin(login: LoginName): Promise<void> {
    const { beside, userId } = await this.#signIn.besideExpired(login);
    if (beside === 'passkey') {
      await this.#save({ login, userId, at: this.#around.now() });
      return this.#showPasskey(userId, refusal(this.#words.expiredUsePasskey, 401));
    }
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
      passkey: this.#pending?.used,
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
      const asksNow = asksCode || (isPasswordRight && (await this.#signIn.besideExpired(login)).beside === 'code');
      this.#show(login, refusalOf(this.#words, error, otherwise, 401), asksNow);
    }
  }
}
