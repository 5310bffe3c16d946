// The steps of a sign-in through another provider: to the provider, back from it, and for somebody who is new the choice of an account.
import { Fault } from '../../../platform/faults/index.ts';
import type { LoginAttempt } from '../../directory/logins/index.ts';
import { fail } from '../../ground/faults.ts';
import { redirect, refusalOf, sendPage } from '../../ground/look/index.ts';
import { testPoint } from '../../ground/test-points.ts';
import type {
  Federation,
  OfferedProviders,
  ProviderAssertion,
  ProviderFlow,
  ProviderLogin,
} from '../../login/federation/index.ts';
import { FLOW_SECONDS, OPENID } from '../../login/federation/index.ts';
import type { CredentialState, ProviderCredential, WalletSignIn } from '../../login/wallet-sign-in/index.ts';
import { hintIn } from '../../openid/provider/index.ts';
import type { Records } from '../../openid/records/index.ts';
import type { InteractionRequest } from './interaction-request.ts';
import type { KeepAccountLogin, KeepAccountLogins } from './keep-account-login.ts';
import { firstSignInPage, providerEmailPage, providerFailedPage } from './other-providers-pages.ts';
import type { BrowserSignInResult, SignIn } from './sign-in.ts';

export interface ProviderStepsDeps {
  readonly federation: Federation;
  readonly signIn: SignIn;
  readonly walletSignIn: Pick<WalletSignIn, 'isStillGood'>;
  readonly keepAccountLogins: KeepAccountLogins;
  readonly records: Records;
  readonly now: () => number;
}

/** What the sign-in goes on with. */
export interface VouchedSignIn extends BrowserSignInResult {
  /** When the person authenticated at the provider (seconds). */
  readonly since: number;
  readonly providerSession: string | undefined;
}

/** How the sign-in goes on. */
interface NextSteps {
  proceed(vouched: VouchedSignIn): Promise<void>;
  /** For somebody whose account is to be deleted. */
  keepAccount(login: KeepAccountLogin): Promise<void>;
}

/** Stored in the interaction: one sign-in through a provider at a time. */
interface ProviderState {
  /** The person is at the provider. */
  readonly flow?: ProviderFlow;
  /** The person is back, and their account is not known. */
  readonly person?: {
    readonly assertion: ProviderAssertion;
    /** Of somebody who showed a credential from their wallet. */
    readonly credential?: CredentialState | undefined;
    readonly since: number;
    readonly mayCreate: boolean;
    readonly provider: string;
    readonly label: string;
  };
  /** They are about to sign in to the account that is theirs. */
  readonly isProving?: boolean;
}

/** Whom a provider vouched for. */
type VouchedPerson = Pick<NonNullable<ProviderState['person']>, 'assertion' | 'credential' | 'since'>;

/** Why an application asks for a new sign-in, although there may be a session at the provider. */
const AGAIN = ['login_prompt', 'max_age', 'session_too_old'];
/** Answers of providers: stored once, so that each is used once. */
const ANSWERS = 'ProviderAnswer';

export class ProviderSteps {
  readonly #deps: ProviderStepsDeps;
  readonly #request: InteractionRequest;
  readonly #attempt: LoginAttempt;
  readonly #next: NextSteps;

  constructor(deps: ProviderStepsDeps, request: InteractionRequest, attempt: LoginAttempt, next: NextSteps) {
    this.#deps = deps;
    this.#request = request;
    this.#attempt = attempt;
    this.#next = next;
  }

  get #state(): ProviderState {
    return (this.#request.interaction.lastSubmission?.provider as ProviderState | undefined) ?? {};
  }

  /** The person who is back from a provider, unless that was too long ago. */
  get #person(): ProviderState['person'] {
    const { person } = this.#state;
    return person && this.#deps.now() - person.assertion.at <= FLOW_SECONDS * 1000 ? person : undefined;
  }

  /** Whether the account of the person is not known, and they have to choose. */
  get isChoosing(): boolean {
    return this.#person !== undefined && !this.isProving;
  }

  /** Whether the person signs in here to connect the account at this provider. */
  get isProving(): boolean {
    return this.#person !== undefined && this.#state.isProving === true;
  }

  get provedProvider(): string | undefined {
    return this.isProving ? this.#person!.provider : undefined;
  }

  /** The answer of a provider, which the callback passed on. */
  get answer(): URLSearchParams | undefined {
    const query = new URLSearchParams(this.#request.browser.exchange.request.url?.split('?', 2)[1]);
    return query.has('provider') && (query.has('state') || query.has('answer')) ? query : undefined;
  }

  /** While somebody connects an account, they sign in to it by its own means. */
  offered(): Promise<OfferedProviders> {
    return this.isProving ? Promise.resolve({ buttons: [], byEmail: false }) : this.#deps.federation.flows.offered();
  }

  /**
   * The provider that the application chose for the person. Only at first: whoever comes back, or had no success there, chooses. So does whoever
   * is signed in: a link must not replace their session by that of somebody else, without a word.
   */
  async hint(): Promise<string | undefined> {
    const { params, lastSubmission, session } = this.#request.interaction;
    const hint = lastSubmission === undefined && !session?.accountId ? hintIn(params) : undefined;
    return hint !== undefined && (await this.#deps.federation.flows.isUsable(hint)) ? hint : undefined;
  }

  async submit(step: string, form: URLSearchParams): Promise<void> {
    switch (step) {
      case 'provider':
        return this.begin(form.get('provider') ?? '');
      case 'provider-ask':
        return this.#showEmail('');
      case 'provider-email':
        return this.#beginByEmail((form.get('address') ?? '').trim());
      case 'provider-new':
        return this.#create();
      case 'provider-link':
        if (this.#person) await this.#save({ person: this.#person, isProving: true });
        return this.#toInteraction();
      default:
        await this.#save({});
        return this.#toInteraction();
    }
  }

  /** The person is back. The address of the page holds the code, so another page is shown afterwards. */
  async handleAnswer(query: URLSearchParams): Promise<void> {
    const { federation, records } = this.#deps;
    const { flow } = this.#state;
    const returned = await federation.messages.answerIn(query);
    const { answer } = returned;
    const providerId = answer.get('provider');
    answer.delete('provider');
    // An old or foreign answer, or one that was used before: what is going on continues.
    if (!federation.flows.isAnswerTo(flow, providerId, answer.get('state'))) return this.#toInteraction();
    await testPoint('provider-answer.before-use');
    if (!(await records.save(ANSWERS, flow.state, {}, FLOW_SECONDS, true))) return this.#toInteraction();
    await this.#save({});
    try {
      const assertion = await federation.flows.finish(flow, returned);
      await this.#enter({ assertion, since: federation.flows.authTimeOf(assertion, flow) });
    } catch (error) {
      await this.#showFailure({ providerId: flow.providerId, protocol: OPENID }, error);
    }
  }

  /** The person showed a credential from their wallet. The answer is used up: what goes wrong from here on begins anew. */
  async enterByWallet({ assertion, state: credential }: ProviderCredential): Promise<void> {
    await this.#save({});
    try {
      await this.#enter({ assertion, credential, since: this.#deps.federation.walletProviders.authTime() });
    } catch (error) {
      await this.#showFailure(assertion, error);
    }
  }

  showChoice(error?: string): void {
    const { browser, form } = this.#request;
    const { provider, label, mayCreate } = this.#person!;
    sendPage(browser, firstSignInPage(browser.look, { ...form, provider, label, mayCreate, error }), error ? 403 : 200);
  }

  /** Connects the account that the person has just signed in to. False when it cannot be connected. */
  async link({ userId, epoch }: { readonly userId: string; readonly epoch: number }): Promise<boolean> {
    const person = this.#person!;
    try {
      await this.#confirm(person);
      await this.#deps.federation.logins.link({ requestId: this.#attempt.requestId, userId, epoch }, person.assertion);
      return true;
    } catch (error) {
      if (!(error instanceof Fault) || error.status >= 500) throw error;
      const { words } = this.#request.browser.look;
      await this.#save({ person });
      this.showChoice(refusalOf(words, error, words.providerAccountRefused).message);
      return false;
    }
  }

  async begin(providerId: string, loginHint?: string): Promise<void> {
    const { interaction, browser } = this.#request;
    const { params, prompt } = interaction;
    const again = params.max_age !== undefined || prompt.reasons.some((reason) => AGAIN.includes(reason));
    const hint = loginHint ?? (typeof params.login_hint === 'string' ? params.login_hint : undefined);
    try {
      const options = { interaction: interaction.uid, loginHint: hint, again };
      const { flow, url } = await this.#deps.federation.flows.begin(providerId, options);
      await this.#save({ flow });
      redirect(browser, url);
    } catch (error) {
      await this.#showFailure({ providerId, protocol: OPENID }, error);
    }
  }

  async #beginByEmail(address: string): Promise<void> {
    const providerId = await this.#deps.federation.flows.findByEmail(address);
    if (providerId === undefined) return this.#showEmail(address, this.#request.browser.look.words.providerNoneForEmail);
    return this.begin(providerId, address);
  }

  async #create(): Promise<void> {
    const person = this.#person;
    if (!person?.mayCreate) return this.#toInteraction();
    try {
      await this.#confirm(person);
      const login = await this.#deps.federation.logins.create(this.#attempt.requestId, person.assertion);
      await this.#save({});
      await this.#signIn(login, person);
    } catch (error) {
      await this.#showFailure(person.assertion, error);
    }
  }

  /** They had minutes to choose an account: the credential may have been revoked since. */
  async #confirm({ credential }: VouchedPerson): Promise<void> {
    if (credential && !(await this.#deps.walletSignIn.isStillGood(credential)))
      fail('identity_provider.no_entry', { why: 'credential_ended' }, { reason: 'provider: credential_ended' });
  }

  async #enter(person: VouchedPerson): Promise<void> {
    const { federation } = this.#deps;
    const { assertion } = person;
    const login = await federation.logins.find(this.#attempt.requestId, assertion);
    if (login.kind === 'account') return this.#signIn(login, person);
    const provider = await federation.flows.nameOf(assertion.providerId, assertion.protocol);
    const label = federation.logins.labelOf(assertion);
    await this.#save({ person: { ...person, mayCreate: login.mayCreate, provider, label } });
    return this.#toInteraction();
  }

  async #signIn({ userId, providerSession }: ProviderLogin, { since, credential }: VouchedPerson): Promise<void> {
    const { keepAccountLogins, signIn } = this.#deps;
    const keepAccountLogin = await keepAccountLogins.byProvider(userId);
    if (keepAccountLogin) return this.#next.keepAccount(keepAccountLogin);
    const step = await (credential ? signIn.byWalletOfProvider : signIn.byProvider)(userId, this.#attempt);
    await this.#next.proceed({ ...step, since, providerSession });
  }

  #showEmail(address: string, error?: string): void {
    const { browser, form } = this.#request;
    sendPage(browser, providerEmailPage(browser.look, { ...form, address, error }), error ? 400 : 200);
  }

  async #showFailure(
    { providerId, protocol }: Pick<ProviderAssertion, 'providerId' | 'protocol'>,
    error: unknown,
  ): Promise<void> {
    const { browser, form } = this.#request;
    const { look } = browser;
    const { words } = look;
    // Rethrows what is not for people.
    const { message, headers } = refusalOf(words, error, words.providerAccountRefused);
    const { code, status, values } = error as Fault;
    const name = await this.#deps.federation.flows.nameOf(providerId, protocol);
    const why = code === 'identity_provider.refused' ? String(values.why) : undefined;
    const texts: Readonly<Record<string, string>> = {
      'identity_provider.unavailable': words.providerUnavailable(name),
      'identity_provider.refused': why === 'access_denied' ? words.providerDenied(name) : words.providerRefused(name),
    };
    sendPage(browser, providerFailedPage(look, { ...form, text: texts[code] ?? message, code: why }), status, headers);
  }

  #toInteraction(): void {
    redirect(this.#request.browser, this.#request.form.action);
  }

  async #save(provider: ProviderState): Promise<void> {
    const { interaction } = this.#request;
    interaction.lastSubmission = { provider };
    await this.#request.saveProof();
  }
}
