// The steps of a sign-in with a wallet: the request for it, and back from it with the browser that began, or with a number that is typed.
import { addressKey, type Throttle } from '../../../platform/limits/index.ts';
import type { LoginAttempt } from '../../directory/logins/index.ts';
import { type PageRefusal, redirect, refusal, refusalOf, sendAnswer } from '../../ground/look/index.ts';
import type { PartialLogin } from '../../login/tokens/index.ts';
import {
  type ProviderCredential,
  WALLET_SECONDS,
  type WalletRequests,
  type WalletSignIn,
} from '../../login/wallet-sign-in/index.ts';
import type { InteractionRequest } from './interaction-request.ts';
import type { BrowserSignInResult, SignIn } from './sign-in.ts';
import { walletPage } from './wallet-pages.ts';

export interface WalletStepsDeps {
  readonly walletSignIn: WalletSignIn;
  readonly signIn: SignIn;
  /** Limits unfinished sign-ins by address. */
  readonly unfinished: Throttle;
  readonly now: () => number;
}

/** How the sign-in goes on. */
interface NextSteps<Pending extends PartialLogin> {
  /** The steps before, if they are still valid. */
  pending(): Promise<Pending | undefined>;
  /** Whether the sign-in may begin with a wallet. */
  mayBeFirst(): boolean;
  proceed(step: BrowserSignInResult, earlier: Pending | undefined): Promise<void>;
  /** A provider vouches for the person, by a credential of an issuer that it trusts. */
  vouched(credential: ProviderCredential): Promise<void>;
  /** The page before: the sign-in, or the second step. */
  showFormer(earlier: Pending | undefined, refused: PageRefusal): Promise<void>;
}

export class WalletSteps<Pending extends PartialLogin> {
  readonly #deps: WalletStepsDeps;
  readonly #request: InteractionRequest;
  readonly #attempt: LoginAttempt;
  readonly #next: NextSteps<Pending>;

  constructor(deps: WalletStepsDeps, request: InteractionRequest, attempt: LoginAttempt, next: NextSteps<Pending>) {
    this.#deps = deps;
    this.#request = request;
    this.#attempt = attempt;
    this.#next = next;
  }

  get #state(): WalletRequests | undefined {
    const requests = this.#request.interaction.lastSubmission?.wallet as WalletRequests | undefined;
    return requests && this.#deps.now() - requests.at <= WALLET_SECONDS * 1000 ? requests : undefined;
  }

  /** Whether the person was asked to open their wallet. */
  get isWaiting(): boolean {
    return this.#state !== undefined;
  }

  /** The secret that a wallet sent this browser back with. */
  get returned(): string | undefined {
    return new URLSearchParams(this.#request.browser.exchange.request.url?.split('?', 2)[1]).get('wallet') ?? undefined;
  }

  async submit(step: string, form: URLSearchParams): Promise<void> {
    switch (step) {
      case 'wallet':
        return this.#begin();
      case 'wallet-code':
        return this.#typed((form.get('code') ?? '').replaceAll(/\s/g, ''));
      default:
        if (this.#state) await this.#forget(this.#state);
        await this.#save(undefined);
        return this.#toInteraction();
    }
  }

  show(refused?: PageRefusal): void {
    const { browser, form } = this.#request;
    const { same, other } = this.#state!;
    const about = { ...form, same: same.link, other: other.link, error: refused?.message };
    sendAnswer(browser, walletPage(browser.look, about), refused);
  }

  /** On the same device. An old or foreign answer changes nothing: what is going on continues. */
  async handleReturn(proof: string): Promise<void> {
    const opened = await this.#deps.walletSignIn.answers.open(proof);
    const state = this.#state;
    if (!state || opened?.requestId !== state.same.id) return this.#toInteraction();
    await this.#enter(state, { requestId: state.same.id, proof });
  }

  async #begin(): Promise<void> {
    const { interaction, browser, application } = this.#request;
    const earlier = await this.#next.pending();
    const place = earlier ? 'second' : 'first';
    const { words } = browser.look;
    if (this.#state?.place === place) return this.#toInteraction();
    const { walletSignIn, signIn } = this.#deps;
    const isOffered = earlier
      ? (await signIn.nextSteps(earlier)).wallet
      : this.#next.mayBeFirst() && (await signIn.isWalletOffered());
    const { address, request } = browser.exchange;
    const situation = {
      interaction: interaction.uid,
      place,
      application,
      address,
      userAgent: request.headers['user-agent'] ?? '',
    } as const;
    try {
      // They are stored: nobody fills the table.
      if (isOffered) this.#deps.unfinished.take(addressKey(address));
    } catch (error) {
      return this.#next.showFormer(earlier, refusalOf(words, error, words.walletNothing, 429));
    }
    const requests = isOffered ? await walletSignIn.requests.begin(situation) : undefined;
    if (!requests) return this.#next.showFormer(earlier, refusal(words.walletNothing, 400));
    await this.#save(requests);
    return this.#toInteraction();
  }

  /** The number of another device. */
  async #typed(proof: string): Promise<void> {
    const state = this.#state;
    if (!state) return this.#toInteraction();
    await this.#enter(state, { requestId: state.other.id, proof });
  }

  async #enter(requests: WalletRequests, proof: { requestId: string; proof: string }): Promise<void> {
    const { words } = this.#request.browser.look;
    const { signIn } = this.#deps;
    const { place, other } = requests;
    const earlier = place === 'second' ? await this.#next.pending() : undefined;
    // The first step was too long ago: the wallet does not become the first.
    if (place === 'second' && (!earlier || !(await signIn.isStillValid(earlier)))) {
      await this.#save(undefined);
      return this.#next.showFormer(undefined, refusal(words.tooLate, 401));
    }
    try {
      if (!earlier && (await this.#deps.walletSignIn.entry.isOfProvider(proof.requestId))) {
        const credential = await signIn.walletOfProvider(proof, this.#attempt);
        await this.#forget(requests);
        return await this.#next.vouched(credential);
      }
      const step = await signIn.wallet(proof, this.#attempt, earlier);
      await this.#forget(requests);
      await this.#save(undefined);
      await this.#next.proceed(step, earlier);
    } catch (error) {
      const isTyped = proof.requestId === other.id;
      const refused = refusalOf(words, error, isTyped ? words.walletWrongCode : words.walletRefused, 401);
      // A number can be typed again, unless it was right and something else is wrong.
      if (isTyped && (await this.#canRetry(proof.requestId))) return this.show(refused);
      await this.#save(undefined);
      await this.#next.showFormer(earlier, isTyped ? { ...refused, message: words.walletRefused } : refused);
    }
  }

  #canRetry(requestId: string): Promise<boolean> {
    return this.#deps.walletSignIn.entry.isOpen(requestId);
  }

  async #forget(requests: WalletRequests): Promise<void> {
    // Once, whoever forgets them at the same moment.
    if (await this.#deps.walletSignIn.requests.forget(requests))
      this.#deps.unfinished.refund(addressKey(this.#request.browser.exchange.address));
  }

  #toInteraction(): void {
    redirect(this.#request.browser, this.#request.form.action);
  }

  async #save(wallet: WalletRequests | undefined): Promise<void> {
    const { interaction } = this.#request;
    const { wallet: _, ...rest } = interaction.lastSubmission ?? {};
    interaction.lastSubmission = wallet ? { ...rest, wallet } : rest;
    await interaction.save(interaction.exp - Math.floor(Date.now() / 1000));
  }
}
