// /openid/interaction/{uid}: the pages between an application's request and its answer. What was proved is kept with the
// interaction, on our side; the browser holds a signed cookie that names it.
import type { Interaction, Provider } from 'oidc-provider';
import { Fault } from '../../platform/faults/index.ts';
import type { Users } from '../users/index.ts';
import { type Browser, checkFormToken, formToken, readCookie, readForm, redirect, sendPage, setCookie } from './browser.ts';
import { type Consent, keepConsent } from './consents.ts';
import { consentPage, expiredPage, newPasswordPage, secondFactorPage, signInPage } from './pages/sign-in-pages.ts';
import { english } from './pages/words.ts';
import type { Records } from './records.ts';
import { type DeviceCookie, deviceCookieName, type Proved, type SignIn, type Step } from './sign-in.ts';

const words = english;
/** How long the second step may take. */
const SECOND_STEP_MS = 5 * 60_000;

interface Pending extends Proved {
  readonly at: number;
  readonly generation: number | undefined;
}

export interface InteractionDeps {
  readonly signIn: SignIn;
  readonly users: Users;
  readonly now: () => number;
  readonly records: Records;
  /** How long a person is not asked again. */
  readonly consentSeconds: number;
}

/** What a person is told; the rest is for the log. */
function wordsFor(error: unknown, otherwise: string): string {
  if (!(error instanceof Fault)) throw error;
  if (error.status === 429) return words.tooMany(Number(error.headers['Retry-After'] ?? 60));
  if (error.status === 503) return words.busy;
  if (error.status >= 500) throw error;
  return error.code === 'auth.required' ? otherwise : error.message;
}

export function createInteractions({ signIn, users, now, records, consentSeconds }: InteractionDeps) {
  const text = (form: URLSearchParams, name: string): string => form.get(name) ?? '';

  function deviceOf(browser: Browser, userId: string): DeviceCookie | undefined {
    const [deviceId, deviceToken] = readCookie(browser, deviceCookieName(userId))?.split('.') ?? [];
    return deviceId && deviceToken ? { deviceId, deviceToken } : undefined;
  }

  const keepDevice = (browser: Browser, userId: string, { deviceId, deviceToken }: DeviceCookie): void =>
    setCookie(browser, deviceCookieName(userId), `${deviceId}.${deviceToken}`);

  return async function serve(provider: Provider, browser: Browser, keys: readonly string[]): Promise<void> {
    const { request, response, address, requestId } = browser.exchange;
    const attempt = { address, requestId };
    let interaction: Interaction;
    try {
      interaction = await provider.interactionDetails(request, response);
    } catch {
      // Of another browser, too old, or finished.
      return sendPage(browser, expiredPage(), 400);
    }
    if (browser.path !== `/openid/interaction/${interaction.uid}`) return sendPage(browser, expiredPage(), 400);

    const { params, prompt, uid } = interaction;
    const client = await provider.Client.find(String(params.client_id));
    // Deleted meanwhile, or no longer at the address it asked from.
    const { redirect_uri: back } = params;
    if (!client || (back !== undefined && !client.redirectUriAllowed(String(back)))) return sendPage(browser, expiredPage(), 400);
    const application = client.clientName ?? client.clientId;
    const about = { action: browser.path, token: formToken(keys[0]!, uid) };
    const pending = interaction.lastSubmission?.pending as Pending | undefined;

    const showSignIn = (given: { name?: string; domain?: string; wrong?: string } = {}): void =>
      sendPage(
        browser,
        signInPage({
          ...about,
          application,
          name: given.name ?? String(params.login_hint ?? ''),
          domain: given.domain ?? '',
          asksDomain: false,
          wrong: given.wrong,
        }),
        given.wrong ? 401 : 200,
      );

    const showSecond = (recovery: boolean, wrong?: string): void =>
      sendPage(browser, secondFactorPage({ ...about, recovery, wrong }), wrong ? 401 : 200);

    async function keep(proved: Proved): Promise<void> {
      const { userId, methods } = proved;
      const kept: Pending = { userId, methods, at: now(), generation: await signIn.generationOf(userId) };
      interaction.lastSubmission = { pending: kept };
      await interaction.save(interaction.exp - Math.floor(Date.now() / 1000));
    }

    const finish = (result: Record<string, unknown>): Promise<void> =>
      provider.interactionFinished(request, response, result as never, { mergeWithLastSubmission: false });

    function signedIn({ userId, methods }: Proved): Promise<void> {
      const second = methods.includes('totp');
      const login = { accountId: userId, amr: second ? ['pwd', 'otp', 'mfa'] : ['pwd'], remember: true };
      return finish({ login });
    }

    async function afterPassword(step: Step): Promise<void> {
      if (step.device) keepDevice(browser, step.userId, step.device);
      if (step.complete) return signedIn(step);
      await keep(step);
      return showSecond(false);
    }

    async function password(form: URLSearchParams): Promise<void> {
      const given = { name: text(form, 'name').trim(), domain: text(form, 'domain').trim(), password: text(form, 'password') };
      try {
        await afterPassword(await signIn.password(given, attempt, (userId) => deviceOf(browser, userId)));
      } catch (error) {
        if (error instanceof Fault && error.code === 'auth.password_expired')
          return sendPage(browser, newPasswordPage({ ...about, name: given.name, domain: given.domain }), 401);
        showSignIn({ ...given, wrong: wordsFor(error, words.wrongPassword) });
      }
    }

    /** Knowing the old one gives the right to a new one; then it goes on as if that had been typed. */
    async function newPassword(form: URLSearchParams): Promise<void> {
      const given = { name: text(form, 'name').trim(), domain: text(form, 'domain').trim() };
      const fresh = text(form, 'new_password');
      try {
        if (fresh !== text(form, 'new_password_again'))
          return sendPage(browser, newPasswordPage({ ...about, ...given, wrong: words.passwordsDiffer }), 400);
        await signIn.changePassword({ ...given, password: text(form, 'password') }, fresh, attempt);
        const step = await signIn.password({ ...given, password: fresh }, attempt, (userId) => deviceOf(browser, userId));
        await afterPassword(step);
      } catch (error) {
        sendPage(browser, newPasswordPage({ ...about, ...given, wrong: wordsFor(error, words.wrongPassword) }), 401);
      }
    }

    async function second(form: URLSearchParams, recovery: boolean): Promise<void> {
      if (!pending || now() - pending.at > SECOND_STEP_MS) return showSignIn({ wrong: words.tooLate });
      if (pending.generation !== (await signIn.generationOf(pending.userId))) return showSignIn({ wrong: words.tooLate });
      try {
        const step = recovery
          ? await signIn.recoveryCode(pending, text(form, 'recovery_code'), attempt)
          : await signIn.code(pending, text(form, 'code').replaceAll(/\s/g, ''), attempt);
        if (!step.complete) return showSecond(recovery, words.wrongCode);
        if (form.get('remember') === 'yes') {
          const agent = request.headers['user-agent'] ?? '';
          keepDevice(browser, step.userId, await signIn.remember(step.userId, agent, attempt));
        }
        await signedIn(step);
      } catch (error) {
        showSecond(recovery, wordsFor(error, words.wrongCode));
      }
    }

    async function allow(): Promise<void> {
      const accountId = interaction.session!.accountId!;
      const grant =
        (interaction.grantId && (await provider.Grant.find(interaction.grantId))) ||
        new provider.Grant({ accountId, clientId: String(params.client_id) });
      const {
        missingOIDCScope = [],
        missingOIDCClaims = [],
        missingResourceScopes = {},
      } = prompt.details as {
        missingOIDCScope?: string[];
        missingOIDCClaims?: string[];
        missingResourceScopes?: Record<string, string[]>;
      };
      if (missingOIDCScope.length > 0) grant.addOIDCScope(missingOIDCScope.join(' '));
      if (missingOIDCClaims.length > 0) grant.addOIDCClaims(missingOIDCClaims);
      for (const [resource, scopes] of Object.entries(missingResourceScopes)) grant.addResourceScope(resource, scopes.join(' '));
      // The sign-in just before goes along: without it, an application that asks for one (prompt=login) gets another, for ever.
      const { login } = interaction.lastSubmission ?? {};
      const grantId = await grant.save();
      await keepConsent(records, { accountId, clientId: String(params.client_id) }, grant as Consent, consentSeconds);
      await finish({ ...(login ? { login } : {}), consent: { grantId } });
    }

    async function showConsent(): Promise<void> {
      const user = await users.find(interaction.session?.accountId ?? '');
      const asked = String(params.scope ?? '')
        .split(' ')
        .filter(Boolean);
      sendPage(browser, consentPage({ ...about, application, person: user?.name ?? '', scopes: asked }));
    }

    if (browser.method !== 'POST') {
      if (prompt.name === 'consent') return showConsent();
      return pending && now() - pending.at <= SECOND_STEP_MS ? showSecond(false) : showSignIn();
    }
    const form = await readForm(browser);
    checkFormToken(form, keys, uid);
    const step = text(form, 'step');
    if (step === 'cancel') return finish({ error: 'access_denied', error_description: 'the person said no' });
    if (prompt.name === 'consent') return step === 'allow' ? allow() : showConsent();
    if (step === 'password') return password(form);
    if (step === 'new-password') return newPassword(form);
    if (step === 'code' || step === 'recovery') return second(form, step === 'recovery');
    if (step === 'ask-recovery' || step === 'ask-code') return showSecond(step === 'ask-recovery');
    return redirect(browser, browser.path);
  };
}

export type Interactions = ReturnType<typeof createInteractions>;
