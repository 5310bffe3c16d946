// The pages for somebody whose account is to be deleted: after the steps of a sign-in, they can keep it. There is no session.
import { Fault } from '../../../platform/faults/index.ts';
import { type PageRefusal, redirect, refusalOf, sendAnswer, sendPage } from '../../ground/look/index.ts';
import type { InteractionRequest, PromptSteps } from './interaction-request.ts';
import type { KeepAccountLogin, KeepAccountLogins } from './keep-account-login.ts';
import { keepAccountPage, keptAccountPage } from './keep-account-pages.ts';
import type { LoginAttempt, SignIn } from './sign-in.ts';
import { passkeyPage, secondFactorPage } from './sign-in-pages.ts';

/** How long the steps may take. */
const STEPS_MS = 5 * 60_000;

export interface KeepAccountDeps {
  readonly signIn: SignIn;
  readonly keepAccountLogins: KeepAccountLogins;
  readonly now: () => number;
}

interface PendingLogin extends KeepAccountLogin {
  readonly at: number;
}

const text = (form: URLSearchParams, name: string): string => form.get(name) ?? '';

export class KeepAccountSteps implements PromptSteps {
  readonly #deps: KeepAccountDeps;
  readonly #request: InteractionRequest;
  readonly #attempt: LoginAttempt;

  constructor(deps: KeepAccountDeps, request: InteractionRequest, attempt: LoginAttempt) {
    this.#deps = deps;
    this.#request = request;
    this.#attempt = attempt;
  }

  get #pending(): PendingLogin | undefined {
    const pending = this.#request.interaction.lastSubmission?.leaving as PendingLogin | undefined;
    return pending && this.#deps.now() - pending.at <= STEPS_MS ? pending : undefined;
  }

  /** Whether the steps of this interaction were begun. */
  get isPending(): boolean {
    return this.#pending !== undefined;
  }

  /** After the first step. */
  async begin(login: KeepAccountLogin): Promise<void> {
    await this.#save(login);
    return this.#showNext(login);
  }

  /** After the first step, at an address that is not to stay. */
  async beginElsewhere(login: KeepAccountLogin): Promise<void> {
    await this.#save(login);
    this.#again();
  }

  async show(): Promise<void> {
    const pending = this.#pending;
    return pending ? this.#showNext(pending) : this.#again();
  }

  async submit(step: string, form: URLSearchParams): Promise<void> {
    const pending = this.#pending;
    if (!pending) return this.#again();
    switch (step) {
      case 'code':
      case 'recovery':
      case 'second-passkey':
        return this.#second(pending, step, form);
      case 'keep-account':
        return this.#keep(pending);
      default:
        return this.#showNext(pending, { recovery: step === 'ask-recovery' });
    }
  }

  /** Shows the page of the interaction. */
  #again(): void {
    redirect(this.#request.browser, this.#request.form.action);
  }

  async #save(login: KeepAccountLogin | undefined): Promise<void> {
    const { interaction } = this.#request;
    interaction.lastSubmission = login ? { leaving: { ...login, at: this.#deps.now() } } : {};
    await this.#request.saveProof();
  }

  /** A second factor that the person has set up, or must use. */
  async #missing(login: KeepAccountLogin): Promise<'code' | 'passkey' | undefined> {
    const { signIn } = this.#deps;
    const next = await signIn.nextSteps(login);
    if (next.code) return 'code';
    return next.passkey && (await signIn.isPasskeyMissing(login.userId, login.methods)) ? 'passkey' : undefined;
  }

  async #showNext(
    login: KeepAccountLogin,
    { recovery = false, refused }: { recovery?: boolean; refused?: PageRefusal } = {},
  ): Promise<void> {
    const { browser, form, challengesFor } = this.#request;
    const { signIn } = this.#deps;
    const missing = await this.#missing(login);
    const error = refused?.message;
    if (missing === undefined)
      return sendAnswer(browser, keepAccountPage(browser.look, { ...form, dueAt: login.dueAt, error }), refused);
    const hasPasskey = (await signIn.nextSteps(login)).passkey;
    const passkey = hasPasskey ? await signIn.passkeyOptions(challengesFor(this.#challenge(login))[0]!, login.userId) : undefined;
    if (missing === 'code' || !passkey)
      return sendAnswer(browser, secondFactorPage(browser.look, { ...form, recovery, passkey, error }), refused);
    return sendAnswer(browser, passkeyPage(browser.look, { ...form, passkey, skip: false, error }), refused);
  }

  #challenge({ userId }: KeepAccountLogin): string {
    return `keep ${userId}`;
  }

  async #second(login: KeepAccountLogin, step: 'code' | 'recovery' | 'second-passkey', form: URLSearchParams): Promise<void> {
    const { keepAccountLogins } = this.#deps;
    const { words } = this.#request.browser.look;
    try {
      const challenges = this.#request.challengesFor(this.#challenge(login));
      const more = await (step === 'second-passkey'
        ? keepAccountLogins.secondPasskey(login, text(form, 'passkey'), challenges, this.#attempt)
        : step === 'recovery'
          ? keepAccountLogins.recoveryCode(login, text(form, 'recovery_code'), this.#attempt)
          : keepAccountLogins.code(login, text(form, 'code').replaceAll(/\s/g, ''), this.#attempt));
      await this.begin(more);
    } catch (error) {
      const otherwise = step === 'second-passkey' ? words.passkeyWrong : words.wrongCode;
      await this.#showNext(login, { recovery: step === 'recovery', refused: refusalOf(words, error, otherwise, 401) });
    }
  }

  async #keep(login: KeepAccountLogin): Promise<void> {
    const { browser, form } = this.#request;
    if ((await this.#missing(login)) !== undefined) return this.#showNext(login);
    try {
      await this.#deps.keepAccountLogins.keep(login, this.#attempt);
    } catch (error) {
      // The account was deleted or changed meanwhile. A sign-in shows what is the case.
      if (!(error instanceof Fault) || error.status >= 500) throw error;
      await this.#save(undefined);
      return this.#again();
    }
    await this.#save(undefined);
    sendPage(browser, keptAccountPage(browser.look, form));
  }
}
