// The pages of a sign-in: the password, a new one where it has expired, and the second factor.
import { Fault } from '../../../platform/faults/index.ts';
import type { PartialLogin } from '../../tokens/index.ts';
import { type Browser, readCookie, redirect, sendPage, setCookie } from '../pages/browser.ts';
import { newPasswordPage, secondFactorPage, signInPage } from '../pages/sign-in-pages.ts';
import { english } from '../pages/words.ts';
import type { Records } from '../provider/records/records.ts';
import { type DeviceCookie, deviceCookieName, type LoginAttempt, type SignIn, type Step } from './sign-in.ts';
import type { Steps, Visit } from './visit.ts';

const words = english;
/** How long the second step may take. */
const SECOND_STEP_MS = 5 * 60_000;

export interface SignInPagesDeps {
  readonly signIn: SignIn;
  readonly records: Records;
  readonly now: () => number;
}

/** What the first step proved, kept until the second. */
interface Pending extends PartialLogin {
  readonly at: number;
}

interface Named {
  readonly name: string;
  readonly domain: string;
}

/** What a person is told; the rest is for the log. */
function wordsFor(error: unknown, otherwise: string): string {
  if (!(error instanceof Fault)) throw error;
  if (error.status === 429) return words.tooMany(Number(error.headers['Retry-After'] ?? 60));
  if (error.status === 503) return words.busy;
  if (error.status >= 500) throw error;
  return error.code === 'auth.required' ? otherwise : error.message;
}

const text = (form: URLSearchParams, name: string): string => form.get(name) ?? '';
const named = (form: URLSearchParams): Named => ({ name: text(form, 'name').trim(), domain: text(form, 'domain').trim() });

function readDevice(browser: Browser, userId: string): DeviceCookie | undefined {
  const [deviceId, deviceToken] = readCookie(browser, deviceCookieName(userId))?.split('.') ?? [];
  return deviceId && deviceToken ? { deviceId, deviceToken } : undefined;
}

function keepDevice(browser: Browser, userId: string, { deviceId, deviceToken }: DeviceCookie): void {
  setCookie(browser, deviceCookieName(userId), `${deviceId}.${deviceToken}`);
}

export class SignInSteps implements Steps {
  readonly #deps: SignInPagesDeps;
  readonly #visit: Visit;
  readonly #attempt: LoginAttempt;

  constructor(deps: SignInPagesDeps, visit: Visit) {
    const { address, requestId, signal } = visit.browser.exchange;
    this.#deps = deps;
    this.#visit = visit;
    this.#attempt = { address, requestId, signal, via: 'sign-in page' };
  }

  show(): void {
    if (this.#pending()) this.#showSecond(false);
    else this.#showSignIn();
  }

  take(step: string, form: URLSearchParams): Promise<void> | void {
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
        return redirect(this.#visit.browser, this.#visit.form.action);
    }
  }

  #showSignIn(given: Partial<Named> & { wrong?: string } = {}): void {
    const { browser, interaction, application, form } = this.#visit;
    const { name = String(interaction.params.login_hint ?? ''), domain = '', wrong } = given;
    sendPage(browser, signInPage({ ...form, application, name, domain, wrong }), wrong ? 401 : 200);
  }

  #showNewPassword(given: Named, status: number, wrong?: string): void {
    const { browser, form } = this.#visit;
    sendPage(browser, newPasswordPage({ ...form, ...given, wrong }), status);
  }

  #showSecond(recovery: boolean, wrong?: string): void {
    const { browser, form } = this.#visit;
    sendPage(browser, secondFactorPage({ ...form, recovery, wrong }), wrong ? 401 : 200);
  }

  #pending(): Pending | undefined {
    const pending = this.#visit.interaction.lastSubmission?.pending as Pending | undefined;
    return pending && this.#deps.now() - pending.at <= SECOND_STEP_MS ? pending : undefined;
  }

  async #keep({ userId, methods, epoch, generation }: PartialLogin): Promise<void> {
    const { interaction } = this.#visit;
    const pending: Pending = { userId, methods, epoch, generation, at: this.#deps.now() };
    interaction.lastSubmission = { pending };
    await interaction.save(interaction.exp - Math.floor(Date.now() / 1000));
  }

  #signedIn({ userId, methods, generation }: PartialLogin): Promise<void> {
    this.#deps.records.bind(userId, generation);
    const amr = methods.includes('totp') ? ['pwd', 'otp', 'mfa'] : ['pwd'];
    // When it was proved, not when it is collected.
    const ts = Math.floor(this.#deps.now() / 1000);
    return this.#visit.finish({ login: { accountId: userId, amr, ts, remember: true } });
  }

  async #afterPassword(step: Step): Promise<void> {
    if (step.device) keepDevice(this.#visit.browser, step.userId, step.device);
    if (step.complete) return this.#signedIn(step);
    await this.#keep(step);
    this.#showSecond(false);
  }

  async #try(given: Named, password: string): Promise<void> {
    const { browser } = this.#visit;
    const deviceOf = (userId: string) => readDevice(browser, userId);
    await this.#afterPassword(await this.#deps.signIn.password({ ...given, password }, this.#attempt, deviceOf));
  }

  async #password(form: URLSearchParams): Promise<void> {
    const given = named(form);
    try {
      await this.#try(given, text(form, 'password'));
    } catch (error) {
      if (error instanceof Fault && error.code === 'auth.password_expired') this.#showNewPassword(given, 401);
      else this.#showSignIn({ ...given, wrong: wordsFor(error, words.wrongPassword) });
    }
  }

  /** Knowing the old one gives the right to a new one; then it goes on as if that had been typed. */
  async #newPassword(form: URLSearchParams): Promise<void> {
    const given = named(form);
    const fresh = text(form, 'new_password');
    if (fresh !== text(form, 'new_password_again')) return this.#showNewPassword(given, 400, words.passwordsDiffer);
    try {
      await this.#deps.signIn.changePassword({ ...given, password: text(form, 'password') }, fresh, this.#attempt);
      await this.#try(given, fresh);
    } catch (error) {
      this.#showNewPassword(given, 401, wordsFor(error, words.wrongPassword));
    }
  }

  async #second(form: URLSearchParams, recovery: boolean): Promise<void> {
    const { signIn } = this.#deps;
    const pending = this.#pending();
    if (!pending || !(await signIn.stands(pending))) return this.#showSignIn({ wrong: words.tooLate });
    try {
      const step = recovery
        ? await signIn.recoveryCode(pending, text(form, 'recovery_code'), this.#attempt)
        : await signIn.code(pending, text(form, 'code').replaceAll(/\s/g, ''), this.#attempt);
      if (!step.complete) return this.#showSecond(recovery, words.wrongCode);
      if (form.get('remember') === 'yes') await this.#remember(step);
      await this.#signedIn(step);
    } catch (error) {
      this.#showSecond(recovery, wordsFor(error, words.wrongCode));
    }
  }

  async #remember(proved: PartialLogin): Promise<void> {
    const { browser } = this.#visit;
    const agent = browser.exchange.request.headers['user-agent'] ?? '';
    keepDevice(browser, proved.userId, await this.#deps.signIn.remember(proved, agent, this.#attempt));
  }
}
