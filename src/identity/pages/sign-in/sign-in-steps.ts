// The pages of a sign-in: the password, the second factor, passkeys, and wallets.
import { Fault } from '../../../platform/faults/index.ts';
import type { FreshLogin } from '../../access/rules/index.ts';
import type { Consumers } from '../../applications/consumers/index.ts';
import type { DomainLooks } from '../../directory/domain-looks/index.ts';
import { type PageRefusal, type PageWords, redirect, refusal, refusalOf, sendAnswer } from '../../ground/look/index.ts';
import type { Federation } from '../../login/federation/index.ts';
import type { PartialLogin } from '../../login/tokens/index.ts';
import { acrRequestOf, amrOf, methodsOf, missingStrength, STRONGER_SIGN_IN } from '../../openid/provider/index.ts';
import type { Records } from '../../openid/records/index.ts';
import type { TermsAtSignIn } from '../../provisioning/people/index.ts';
import { readDeviceCookie, setDeviceCookie } from './device-cookies.ts';
import { ExpiredPasswordSteps } from './expired-password-steps.ts';
import type { PasswordChangeResult } from './expired-passwords.ts';
import { FactorSteps, type FactorStepsDeps } from './factor-steps.ts';
import type { InteractionRequest, PromptSteps } from './interaction-request.ts';
import { type KeepAccountDeps, KeepAccountSteps } from './keep-account-steps.ts';
import type { EarlierStep, PendingSignIn, SignedIn } from './pending-sign-in.ts';
import { ProviderSteps } from './provider-steps.ts';
import type { BrowserSignInResult, LoginAttempt } from './sign-in.ts';
import { newPasskeyPage, type PageLink, passkeyPage, secondFactorPage, signInPage } from './sign-in-pages.ts';
import { TermsStep } from './terms-step.ts';
import { walletStepPage } from './wallet-pages.ts';
import { WalletSteps, type WalletStepsDeps } from './wallet-steps.ts';

/** How long the second step may take. */
const SECOND_STEP_MS = 5 * 60_000;
/** How long the terms of use may be read, and an app for a second factor be found and installed. */
const READING_MS = 30 * 60_000;

/** What a passkey is asked for; part of its challenge. */
const ALONE = 'sign-in';
const secondOf = (userId: string): string => `second ${userId}`;
const newOf = (userId: string): string => `new ${userId}`;

export interface SignInStepsDeps extends KeepAccountDeps, WalletStepsDeps, FactorStepsDeps {
  readonly records: Records;
  readonly freshLogin: FreshLogin;
  /** Links below the form. `domain` is what the person typed. */
  linksFor(words: PageWords, interaction: string, domain: string): Promise<readonly PageLink[]>;
  readonly federation: Federation;
  readonly termsAtSignIn: TermsAtSignIn;
  readonly domainLooks: DomainLooks;
  readonly consumers: Pick<Consumers, 'logoPathOf'>;
}

interface LoginName {
  readonly name: string;
  readonly domain: string;
}

const text = (form: URLSearchParams, name: string): string => form.get(name) ?? '';
const readLoginName = (form: URLSearchParams): LoginName => ({
  name: text(form, 'name').trim(),
  domain: text(form, 'domain').trim(),
});

export class SignInSteps implements PromptSteps {
  readonly #deps: SignInStepsDeps;
  readonly #request: InteractionRequest;
  readonly #attempt: LoginAttempt;
  readonly #keepAccount: KeepAccountSteps;
  readonly #provider: ProviderSteps;
  readonly #wallet: WalletSteps<PendingSignIn>;
  readonly #expired: ExpiredPasswordSteps;
  readonly #terms: TermsStep<SignedIn>;
  readonly #factor: FactorSteps<PendingSignIn>;

  constructor(deps: SignInStepsDeps, request: InteractionRequest) {
    const { address, requestId, signal, request: sent } = request.browser.exchange;
    this.#deps = deps;
    this.#request = request;
    this.#attempt = { address, requestId, signal, via: 'sign-in page', userAgent: sent.headers['user-agent'] };
    this.#keepAccount = new KeepAccountSteps(deps, request, this.#attempt);
    this.#expired = new ExpiredPasswordSteps(deps.signIn, request, this.#attempt, {
      showSignIn: (about) => this.#showSignIn(about),
      now: deps.now,
      checkPassword: (login, password, beside) => this.#checkPassword(login, password, beside),
    });
    this.#terms = new TermsStep(deps, request, async (step) => {
      const { isProved, since, providerSession, credential, passkey } = step;
      // The sign-in was now, however long the person reads.
      const kept = { isProved: true, since: since ?? Math.floor(deps.now() / 1000), providerSession, credential, passkey };
      if (!isProved) await this.#savePending({ ...step, complete: true }, kept);
    });
    this.#factor = new FactorSteps<PendingSignIn>(deps, request, this.#attempt, {
      afterFirst: (work) => this.#afterFirst(work),
      save: (pending) => this.#store(pending),
      proceed: (pending) => this.#proceed(pending, pending),
      refuse: this.#tooLate,
    });
    this.#provider = new ProviderSteps(deps, request, this.#attempt, {
      proceed: (step) => this.#proceed(step, step),
      keepAccount: (login) => this.#keepAccount.beginElsewhere(login),
    });
    this.#wallet = new WalletSteps(deps, request, this.#attempt, {
      pending: () => this.#pending(),
      // While somebody connects an account, they sign in to it by its own means.
      mayBeFirst: () => !this.#provider.isProving,
      proceed: (step, earlier) => this.#proceed(step, earlier),
      vouched: (credential) => this.#provider.enterByWallet(credential),
      showFormer: (earlier, refused) => (earlier ? this.#showNext(earlier, { refused }) : this.#showSignIn({ refused })),
    });
  }

  get #words(): PageWords {
    return this.#request.browser.look.words;
  }

  #refusalOf(error: unknown, otherwise: string): PageRefusal {
    return refusalOf(this.#words, error, otherwise, 401);
  }

  async show(): Promise<void> {
    if (this.#keepAccount.isPending) return this.#keepAccount.show();
    const { answer } = this.#provider;
    if (answer) return this.#provider.handleAnswer(answer);
    if (this.#provider.isChoosing) return this.#provider.showChoice();
    const { returned } = this.#wallet;
    if (returned !== undefined) return this.#wallet.handleReturn(returned);
    if (this.#wallet.isWaiting) return this.#wallet.show();
    const pending = await this.#pending();
    if (pending?.isProved) return this.#afterFirst((proved) => this.#signedIn(proved));
    if (pending) return this.#showNext(pending);
    const hint = await this.#provider.hint();
    return hint === undefined ? this.#showSignIn() : this.#provider.begin(hint);
  }

  submit(step: string, form: URLSearchParams): Promise<void> | void {
    switch (step) {
      case 'password':
        return this.#password(form);
      case 'new-password':
        return this.#expired.submit(readLoginName(form), form);
      case 'expired-passkey':
        return this.#expired.passkey(form);
      case 'passkey':
        return this.#passkey(form);
    }
    if (this.#keepAccount.isPending) return this.#keepAccount.submit(step, form);
    switch (step) {
      case 'code':
      case 'recovery':
        return this.#code(form, step === 'recovery');
      case 'ask-code':
      case 'ask-recovery':
        return this.#afterFirst((pending) => this.#showNext(pending, { recovery: step === 'ask-recovery' }));
      case 'terms':
        return this.#acceptTerms(form);
      case 'second-passkey':
        return this.#secondPasskey(form);
      case 'passkey-create':
        return this.#createPasskey(form);
      case 'skip':
        return this.#afterFirst((pending) => (pending.complete ? this.#signedIn(pending) : this.#showNext(pending)));
      default:
        if (step.startsWith('factor')) return this.#factor.submit(step, form);
        if (step.startsWith('provider')) return this.#provider.submit(step, form);
        if (step.startsWith('wallet')) return this.#wallet.submit(step, form);
        return redirect(this.#request.browser, this.#request.form.action);
    }
  }

  async #showSignIn(login: Partial<LoginName> & { refused?: PageRefusal } = {}): Promise<void> {
    const { browser, interaction, clientId, application, form, challengesFor } = this.#request;
    const { signIn } = this.#deps;
    const { name = String(interaction.params.login_hint ?? ''), domain = '', refused } = login;
    // Not filled in: else a link could have the password of somebody else sent to the directory of the domain that it names.
    const links = await this.#deps.linksFor(browser.look.words, interaction.uid, domain || this.#request.domain);
    const passkey = (await signIn.isPasskeyOffered()) ? await signIn.passkeyOptions(challengesFor(ALONE)[0]!) : undefined;
    const providers = await this.#provider.offered();
    const connecting = this.#provider.provedProvider;
    // While somebody connects an account, they sign in to it by its own means.
    const wallet = connecting === undefined && (await signIn.isWalletOffered());
    const logo = await this.#deps.consumers.logoPathOf(clientId);
    const error = refused?.message;
    const about = { ...form, application, logo, name, domain, error, passkey, wallet, links, providers, connecting };
    sendAnswer(browser, signInPage(browser.look, about), refused);
  }

  /** What is to be done after the steps so far. */
  async #showNext(
    pending: PendingSignIn,
    { recovery = false, refused }: { recovery?: boolean; refused?: PageRefusal } = {},
  ): Promise<void> {
    const { browser, form, challengesFor } = this.#request;
    const { signIn, domainLooks } = this.#deps;
    const { userId, complete } = pending;
    const next = await signIn.nextSteps(pending);
    const look = browser.look.in(await domainLooks.brandOfUser(userId));
    if (next.newFactor || pending.newFactor === 'made') return this.#factor.show(pending, refused);
    const error = refused?.message;
    if (next.newPasskey && !this.#mayAddPasskey(pending)) {
      const { providerNeedsPasskey, walletNeedsPasskey } = this.#words;
      const why = pending.methods.includes('mapped')
        ? providerNeedsPasskey
        : pending.methods.includes('wallet')
          ? walletNeedsPasskey
          : undefined;
      return this.#showSignIn(why === undefined ? {} : { refused: refusal(why, 401) });
    }
    if (next.newPasskey) {
      const creation = await signIn.newPasskeyOptions(challengesFor(newOf(userId))[0]!, userId);
      return sendAnswer(browser, newPasskeyPage(look, { ...form, creation, error }), refused);
    }
    const passkey = next.passkey ? await signIn.passkeyOptions(challengesFor(secondOf(userId))[0]!, userId) : undefined;
    const { wallet } = next;
    if (next.code) return sendAnswer(browser, secondFactorPage(look, { ...form, recovery, passkey, wallet, error }), refused);
    const skip = complete && !acrRequestOf(this.#request.interaction.params).isEssential;
    if (passkey) return sendAnswer(browser, passkeyPage(look, { ...form, passkey, wallet, skip, error }), refused);
    if (wallet) return sendAnswer(browser, walletStepPage(look, { ...form, skip, error }), refused);
    return this.#tooLate();
  }

  readonly #tooLate = (): Promise<void> => this.#showSignIn({ refused: refusal(this.#words.tooLate, 401) });

  async #pending(): Promise<PendingSignIn | undefined> {
    const pending = this.#request.interaction.lastSubmission?.pending as PendingSignIn | undefined;
    const within = pending?.isProved || pending?.newFactor ? READING_MS : SECOND_STEP_MS;
    return pending && this.#deps.now() - pending.at <= within ? pending : this.#toStrengthen();
  }

  /** An old session is not enough to add a way to sign in: whoever has it may not be the person. */
  #mayAddPasskey({ methods, since }: PendingSignIn): boolean {
    // Whoever must have a passkey protects others. That protection must not depend on another provider, nor on a wallet alone.
    if (methods.includes('mapped') || (methods.includes('wallet') && !methods.includes('password'))) return false;
    return since === undefined || this.#deps.freshLogin.isFresh(since * 1000);
  }

  /** The session of a person who only has to add what the application asks for. */
  async #toStrengthen(): Promise<PendingSignIn | undefined> {
    const { interaction, provider } = this.#request;
    const { session, prompt } = interaction;
    if (!session?.accountId || this.#provider.isProving || prompt.reasons.some((reason) => reason !== STRONGER_SIGN_IN))
      return undefined;
    const current = await provider.Session.findByUid(session.uid);
    if (current?.accountId !== session.accountId) return undefined;
    const state = await this.#deps.signIn.stateOf(session.accountId);
    const methods = methodsOf(current.amr ?? []);
    const complete = await this.#deps.freshLogin.isEnough({ userId: session.accountId, methods });
    return state && { ...state, methods, at: this.#deps.now(), complete, since: current.loginTs, isEarlier: true };
  }

  async #savePending(
    { userId, methods, epoch, generation, complete }: BrowserSignInResult,
    kept: EarlierStep & { readonly isProved?: boolean },
  ): Promise<PendingSignIn> {
    const pending: PendingSignIn = { userId, methods, epoch, generation, complete, ...kept, at: this.#deps.now() };
    await this.#store(pending);
    return pending;
  }

  async #store(pending: PendingSignIn): Promise<void> {
    const { interaction } = this.#request;
    interaction.lastSubmission = { ...interaction.lastSubmission, pending };
    await this.#request.saveProof();
  }

  #acceptTerms(form: URLSearchParams): Promise<void> {
    return this.#afterFirst(async (pending) => {
      if (!pending.isProved) return this.#showNext(pending);
      const refused = await this.#terms.accept(pending, form, this.#attempt.requestId);
      if (!refused || !(await this.#terms.isAsked(pending, refused))) return this.#signedIn(pending);
    });
  }

  async #signedIn(step: SignedIn): Promise<void> {
    if (await this.#terms.isAsked(step)) return;
    const { userId, methods, generation, passkey, since, isEarlier, providerSession, credential } = step;
    if (this.#provider.isProving && !(await this.#provider.link(step))) return;
    this.#deps.records.bind(userId, generation);
    // The time of the sign-in, not when the library picks it up.
    const ts = since ?? Math.floor(this.#deps.now() / 1000);
    const login = { accountId: userId, amr: amrOf(methods, passkey), ts, remember: true };
    // What is checked again when the library picks it up.
    const by = {
      ...(providerSession === undefined ? {} : { providerSession }),
      ...(credential ? { credential } : {}),
      ...(passkey ? { passkeyId: passkey.passkeyId } : {}),
      ...(isEarlier ? { isEarlier } : {}),
    };
    return this.#request.finish({ login: { ...login, ...by } });
  }

  /** Finishes, or asks for what is missing. */
  async #proceed(step: BrowserSignInResult, earlier: EarlierStep = {}): Promise<void> {
    const missing = missingStrength(amrOf(step.methods), acrRequestOf(this.#request.interaction.params).values);
    const isDone = step.complete && !(await this.#deps.signIn.canStrengthen(step, missing));
    const { since, providerSession, credential, passkey } = earlier;
    const kept = { since, providerSession, credential: step.credential ?? credential, passkey: step.passkey ?? passkey };
    if (isDone) return this.#signedIn({ ...step, ...kept });
    return this.#showNext(await this.#savePending(step, kept));
  }

  async #afterFirst(work: (pending: PendingSignIn) => Promise<void>): Promise<void> {
    const pending = await this.#pending();
    if (!pending || !(await this.#deps.signIn.isStillValid(pending))) return this.#tooLate();
    return work(pending);
  }

  /** `beside`: what was shown in the same request. */
  async #checkPassword(login: LoginName, password: string, beside?: PasswordChangeResult): Promise<void> {
    const { browser } = this.#request;
    const { signIn, keepAccountLogins } = this.#deps;
    const { user, countedAs } = await signIn.findUser(login.name, login.domain);
    const named = { userId: user?.id ?? '', countedAs, ofAnyDomain: login.domain === '' };
    const kept = await keepAccountLogins.password(named, password, this.#attempt);
    if (kept) return this.#keepAccount.begin(kept);
    const deviceOf = (userId: string) => readDeviceCookie(browser, userId);
    const step = await signIn.password({ ...login, password }, this.#attempt, deviceOf);
    if (step.device) setDeviceCookie(browser, step.userId, step.device);
    await this.#proceed(beside ? await signIn.withShown(step, beside, this.#attempt) : step);
  }

  async #password(form: URLSearchParams): Promise<void> {
    const login = readLoginName(form);
    try {
      await this.#checkPassword(login, text(form, 'password'));
    } catch (error) {
      if (error instanceof Fault && error.code === 'auth.password_expired') await this.#expired.begin(login);
      else await this.#showSignIn({ ...login, refused: this.#refusalOf(error, this.#words.wrongPassword) });
    }
  }

  #code(form: URLSearchParams, recovery: boolean): Promise<void> {
    const { signIn } = this.#deps;
    return this.#afterFirst(async (pending) => {
      try {
        const step = recovery
          ? await signIn.recoveryCode(pending, text(form, 'recovery_code'), this.#attempt)
          : await signIn.code(pending, text(form, 'code').replaceAll(/\s/g, ''), this.#attempt);
        if (step.complete && form.get('remember') === 'yes') await this.#rememberDevice(step);
        await this.#proceed(step, pending);
      } catch (error) {
        await this.#showNext(pending, { recovery, refused: this.#refusalOf(error, this.#words.wrongCode) });
      }
    });
  }

  /** A passkey instead of name and password. */
  async #passkey(form: URLSearchParams): Promise<void> {
    const { browser, interaction, challengesFor } = this.#request;
    // It was sent twice: the first answer counts, and the second is no copy of the passkey.
    if (interaction.result?.login) return redirect(browser, interaction.returnTo);
    try {
      const kept = await this.#deps.keepAccountLogins.passkey(text(form, 'passkey'), challengesFor(ALONE), this.#attempt);
      if (kept) return await this.#keepAccount.begin(kept);
      const step = await this.#deps.signIn.passkey(text(form, 'passkey'), challengesFor(ALONE), this.#attempt);
      if (step.complete) await this.#signedIn(step);
      else await this.#showSignIn({ refused: refusal(this.#words.passkeyMore, 401) });
    } catch (error) {
      await this.#showSignIn({ refused: this.#refusalOf(error, this.#words.passkeyWrong) });
    }
  }

  #secondPasskey(form: URLSearchParams): Promise<void> {
    const { signIn } = this.#deps;
    return this.#afterFirst(async (pending) => {
      const challenges = this.#request.challengesFor(secondOf(pending.userId));
      try {
        const step = await signIn.passkey(text(form, 'passkey'), challenges, this.#attempt, pending);
        await this.#proceed(step, pending);
      } catch (error) {
        await this.#showNext(pending, { refused: this.#refusalOf(error, this.#words.passkeyWrong) });
      }
    });
  }

  #createPasskey(form: URLSearchParams): Promise<void> {
    const { signIn } = this.#deps;
    return this.#afterFirst(async (pending) => {
      if (!this.#mayAddPasskey(pending)) return this.#tooLate();
      const challenges = this.#request.challengesFor(newOf(pending.userId));
      const answer = { challenges, text: text(form, 'passkey'), name: text(form, 'passkey_name') };
      try {
        await this.#proceed(await signIn.newPasskey(pending, answer, this.#attempt), pending);
      } catch (error) {
        await this.#showNext(pending, { refused: this.#refusalOf(error, this.#words.passkeyWrong) });
      }
    });
  }

  async #rememberDevice(partialLogin: PartialLogin): Promise<void> {
    const { browser } = this.#request;
    const agent = browser.exchange.request.headers['user-agent'] ?? '';
    setDeviceCookie(browser, partialLogin.userId, await this.#deps.signIn.remember(partialLogin, agent, this.#attempt));
  }
}
