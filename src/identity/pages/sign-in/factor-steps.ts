// The step of a sign-in in which a person turns on the second factor that they must have: a key, a code of it, and recovery codes.
import type { DomainLooks } from '../../directory/domain-looks/index.ts';
import { qrCode } from '../../directory/two-factor/index.ts';
import { type PageLook, type PageRefusal, refusal, refusalOf, sendAnswer, sendFile } from '../../ground/look/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { recoveryCodesFile } from './factor-forms.ts';
import { newFactorPage, newRecoveryCodesPage } from './factor-pages.ts';
import type { InteractionRequest } from './interaction-request.ts';
import type { BrowserSignInResult, LoginAttempt, SignIn } from './sign-in.ts';

/** What the interaction stores: the key that is tried out, sealed, until it is in force. */
export type NewFactorState = { readonly proposed: string } | 'made';

interface PendingFactor extends BrowserSignInResult {
  readonly newFactor?: NewFactorState | undefined;
  readonly since?: number | undefined;
  readonly isEarlier?: boolean | undefined;
}

/**
 * An old session is not enough to add a way to sign in: whoever has it may not be the person. A provider vouches now, whenever the person
 * authenticated there: otherwise nobody with a session at the provider would get in.
 */
const isOfOldSession = ({ since, isEarlier, methods }: PendingFactor): boolean =>
  isEarlier === true || (since !== undefined && !methods.includes('mapped'));

/** What the sign-in does before and after it. */
interface AroundFactor<Pending extends PendingFactor> {
  afterFirst(work: (pending: Pending) => Promise<void>): Promise<void>;
  save(pending: Pending): Promise<void>;
  proceed(pending: Pending): Promise<void>;
  refuse(): Promise<void>;
}

export interface FactorStepsDeps {
  readonly signIn: SignIn;
  readonly domainLooks: Pick<DomainLooks, 'brandOfUser'>;
  readonly config: Pick<IdentityConfig, 'securityQuestion'>;
}

export class FactorSteps<Pending extends PendingFactor> {
  readonly #deps: FactorStepsDeps;
  readonly #request: InteractionRequest;
  readonly #attempt: LoginAttempt;
  readonly #around: AroundFactor<Pending>;

  constructor(deps: FactorStepsDeps, request: InteractionRequest, attempt: LoginAttempt, around: AroundFactor<Pending>) {
    this.#deps = deps;
    this.#request = request;
    this.#attempt = attempt;
    this.#around = around;
  }

  async #lookOf({ userId }: Pending): Promise<PageLook> {
    return this.#request.browser.look.in(await this.#deps.domainLooks.brandOfUser(userId));
  }

  submit(step: string, form: URLSearchParams): Promise<void> {
    return this.#around.afterFirst(async (pending) => {
      if (step === 'factor-create') return this.#create(pending, form);
      if (pending.newFactor !== 'made') return this.show(pending);
      return step === 'factor-codes' ? this.#sendCodes(pending, form) : this.#around.proceed(pending);
    });
  }

  /** The same key when the page is shown again: it may be in the app already. */
  async show(pending: Pending, refused?: PageRefusal): Promise<void> {
    const { browser, form } = this.#request;
    const look = await this.#lookOf(pending);
    if (pending.newFactor === 'made')
      return sendAnswer(browser, newRecoveryCodesPage(look, { ...form, person: '', codes: [] }), undefined);
    if (isOfOldSession(pending)) return this.#around.refuse();
    const { proposed, key, uri } = await this.#deps.signIn.proposedFactor(pending.userId, pending.newFactor?.proposed);
    if (pending.newFactor?.proposed !== proposed) await this.#around.save({ ...pending, newFactor: { proposed } });
    const asksQuestion = this.#deps.config.securityQuestion === 'asked';
    const about = { ...form, key, uri, svg: qrCode(uri, 'svg') ?? '', asksQuestion, error: refused?.message };
    sendAnswer(browser, newFactorPage(look, about), refused);
  }

  async #create(pending: Pending, form: URLSearchParams): Promise<void> {
    const { browser, interaction } = this.#request;
    const { words } = browser.look;
    const { newFactor } = pending;
    if (newFactor === 'made' || newFactor === undefined || isOfOldSession(pending)) return this.show(pending);
    const text = (name: string): string => form.get(name) ?? '';
    const isAsked = this.#deps.config.securityQuestion === 'asked';
    const question = isAsked ? { question: text('question'), answer: text('answer') } : undefined;
    const sent = { proposed: newFactor.proposed, code: text('code').replaceAll(/\s/g, ''), question };
    let made: Awaited<ReturnType<SignIn['newFactor']>>;
    try {
      made = await this.#deps.signIn.newFactor(pending, sent, this.#attempt);
    } catch (error) {
      const refused = refusalOf(words, error, words.tooLate, 401);
      return refused.message === words.tooLate ? this.#around.refuse() : this.show(pending, refused);
    }
    if (!made) return this.show(pending, refusal(words.wrongCode, 401));
    // The one of this browser has ended with the others.
    if (interaction.session?.accountId === pending.userId) delete interaction.session;
    await this.#around.save({ ...pending, ...made.step, newFactor: 'made' });
    sendAnswer(browser, newRecoveryCodesPage(await this.#lookOf(pending), { ...this.#request.form, ...made }), undefined);
  }

  async #sendCodes(pending: Pending, form: URLSearchParams): Promise<void> {
    const { browser } = this.#request;
    const { words, brand } = await this.#lookOf(pending);
    const about = { person: form.get('person') ?? '', service: brand.name, codes: form.get('codes') ?? '' };
    const text = recoveryCodesFile(words, about);
    if (text === undefined) return this.show(pending);
    sendFile(browser, 'recovery-codes.txt', text);
  }
}
