// The pages of a sign-in: the password, a new password if it has expired, and the second factor.
import { Fault } from '../../../platform/faults/index.ts';
import type { PartialLogin } from '../../tokens/index.ts';
import { type BrowserRequest, readCookie, redirect, sendPage, setCookie } from '../pages/browser.ts';
import { newPasswordPage, secondFactorPage, signInPage } from '../pages/sign-in-pages.ts';
import { english } from '../pages/words.ts';
import type { Records } from '../provider/records/records.ts';
import type { InteractionRequest, PromptSteps } from './interaction-request.ts';
import { type BrowserSignInResult, type DeviceCookie, deviceCookieName, type LoginAttempt, type SignIn } from './sign-in.ts';

const words = english;
/** How long the second step may take. */
const SECOND_STEP_MS = 5 * 60_000;

export interface SignInStepsDeps {
  readonly signIn: SignIn;
  readonly records: Records;
  readonly now: () => number;
}

/** The result of the first step, stored in the interaction until the second. */
interface PendingSignIn extends PartialLogin {
  readonly at: number;
}

interface LoginName {
  readonly name: string;
  readonly domain: string;
}

/** The message for the person. Rethrows unexpected errors. */
function messageFor(error: unknown, otherwise: string): string {
  if (!(error instanceof Fault)) throw error;
  if (error.status === 429) return words.tooMany(Number(error.headers['Retry-After'] ?? 60));
  if (error.status === 503) return words.busy;
  if (error.status >= 500) throw error;
  return error.code === 'auth.required' ? otherwise : error.message;
}

const text = (form: URLSearchParams, name: string): string => form.get(name) ?? '';
const readLoginName = (form: URLSearchParams): LoginName => ({
  name: text(form, 'name').trim(),
  domain: text(form, 'domain').trim(),
});

function readDeviceCookie(browser: BrowserRequest, userId: string): DeviceCookie | undefined {
  const [deviceId, deviceToken] = readCookie(browser, deviceCookieName(userId))?.split('.') ?? [];
  return deviceId && deviceToken ? { deviceId, deviceToken } : undefined;
}

function setDeviceCookie(browser: BrowserRequest, userId: string, { deviceId, deviceToken }: DeviceCookie): void {
  setCookie(browser, deviceCookieName(userId), `${deviceId}.${deviceToken}`);
}

export class SignInSteps implements PromptSteps {
  readonly #deps: SignInStepsDeps;
  readonly #request: InteractionRequest;
  readonly #attempt: LoginAttempt;

  constructor(deps: SignInStepsDeps, request: InteractionRequest) {
    const { address, requestId, signal } = request.browser.exchange;
    this.#deps = deps;
    this.#request = request;
    this.#attempt = { address, requestId, signal, via: 'sign-in page' };
  }

  show(): void {
    if (this.#pending()) this.#showSecond(false);
    else this.#showSignIn();
  }

  submit(step: string, form: URLSearchParams): Promise<void> | void {
    switch (step) {
      case 'password':
        return this.#password(form);
      case 'new-password':
        return this.#newPassword(form);
      case 'code':
      case 'recovery':
        return this.#second(form, step === 'recovery');
      case 'ask-code':
      case 'ask-recovery':
        return this.#showSecond(step === 'ask-recovery');
      default:
        return redirect(this.#request.browser, this.#request.form.action);
    }
  }

  #showSignIn(login: Partial<LoginName> & { error?: string } = {}): void {
    const { browser, interaction, application, form } = this.#request;
    const { name = String(interaction.params.login_hint ?? ''), domain = '', error } = login;
    sendPage(browser, signInPage({ ...form, application, name, domain, error }), error ? 401 : 200);
  }

  #showNewPassword(login: LoginName, status: number, error?: string): void {
    const { browser, form } = this.#request;
    sendPage(browser, newPasswordPage({ ...form, ...login, error }), status);
  }

  #showSecond(recovery: boolean, error?: string): void {
    const { browser, form } = this.#request;
    sendPage(browser, secondFactorPage({ ...form, recovery, error }), error ? 401 : 200);
  }

  #pending(): PendingSignIn | undefined {
    const pending = this.#request.interaction.lastSubmission?.pending as PendingSignIn | undefined;
    return pending && this.#deps.now() - pending.at <= SECOND_STEP_MS ? pending : undefined;
  }

  async #savePending({ userId, methods, epoch, generation }: PartialLogin): Promise<void> {
    const { interaction } = this.#request;
    const pending: PendingSignIn = { userId, methods, epoch, generation, at: this.#deps.now() };
    interaction.lastSubmission = { pending };
    await interaction.save(interaction.exp - Math.floor(Date.now() / 1000));
  }

  #signedIn({ userId, methods, generation }: PartialLogin): Promise<void> {
    this.#deps.records.bind(userId, generation);
    const amr = methods.includes('totp') ? ['pwd', 'otp', 'mfa'] : ['pwd'];
    // The time of the sign-in, not when the library picks it up.
    const ts = Math.floor(this.#deps.now() / 1000);
    return this.#request.finish({ login: { accountId: userId, amr, ts, remember: true } });
  }

  async #afterPassword(step: BrowserSignInResult): Promise<void> {
    if (step.device) setDeviceCookie(this.#request.browser, step.userId, step.device);
    if (step.complete) return this.#signedIn(step);
    await this.#savePending(step);
    this.#showSecond(false);
  }

  async #checkPassword(login: LoginName, password: string): Promise<void> {
    const { browser } = this.#request;
    const deviceOf = (userId: string) => readDeviceCookie(browser, userId);
    await this.#afterPassword(await this.#deps.signIn.password({ ...login, password }, this.#attempt, deviceOf));
  }

  async #password(form: URLSearchParams): Promise<void> {
    const login = readLoginName(form);
    try {
      await this.#checkPassword(login, text(form, 'password'));
    } catch (error) {
      if (error instanceof Fault && error.code === 'auth.password_expired') this.#showNewPassword(login, 401);
      else this.#showSignIn({ ...login, error: messageFor(error, words.wrongPassword) });
    }
  }

  /** Changes the expired password, then signs in with the new one. */
  async #newPassword(form: URLSearchParams): Promise<void> {
    const login = readLoginName(form);
    const fresh = text(form, 'new_password');
    if (fresh !== text(form, 'new_password_again')) return this.#showNewPassword(login, 400, words.passwordsDiffer);
    try {
      await this.#deps.signIn.changePassword({ ...login, password: text(form, 'password') }, fresh, this.#attempt);
      await this.#checkPassword(login, fresh);
    } catch (error) {
      this.#showNewPassword(login, 401, messageFor(error, words.wrongPassword));
    }
  }

  async #second(form: URLSearchParams, recovery: boolean): Promise<void> {
    const { signIn } = this.#deps;
    const pending = this.#pending();
    if (!pending || !(await signIn.isStillValid(pending))) return this.#showSignIn({ error: words.tooLate });
    try {
      const step = recovery
        ? await signIn.recoveryCode(pending, text(form, 'recovery_code'), this.#attempt)
        : await signIn.code(pending, text(form, 'code').replaceAll(/\s/g, ''), this.#attempt);
      if (!step.complete) return this.#showSecond(recovery, words.wrongCode);
      if (form.get('remember') === 'yes') await this.#rememberDevice(step);
      await this.#signedIn(step);
    } catch (error) {
      this.#showSecond(recovery, messageFor(error, words.wrongCode));
    }
  }

  async #rememberDevice(partialLogin: PartialLogin): Promise<void> {
    const { browser } = this.#request;
    const agent = browser.exchange.request.headers['user-agent'] ?? '';
    setDeviceCookie(browser, partialLogin.userId, await this.#deps.signIn.remember(partialLogin, agent, this.#attempt));
  }
}
