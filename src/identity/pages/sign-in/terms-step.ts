// The last step of a sign-in: somebody who has proved who they are accepts the terms of use, if they changed. Checked whichever way led
// here. Logins at the APIs are not concerned: a program cannot accept.
import type { DomainLooks } from '../../directory/domain-looks/index.ts';
import {
  hidden,
  html,
  type PageLook,
  type PageRefusal,
  page,
  refusalOf,
  sendAnswer,
  termsField,
  type WrongForm,
} from '../../ground/look/index.ts';
import type { Terms, TermsAtSignIn } from '../../provisioning/people/index.ts';
import type { InteractionRequest } from './interaction-request.ts';

interface Proved {
  readonly userId: string;
}

export interface TermsStepDeps {
  readonly termsAtSignIn: TermsAtSignIn;
  readonly domainLooks: Pick<DomainLooks, 'brandOfUser'>;
}

export class TermsStep<Step extends Proved> {
  readonly #terms: TermsAtSignIn;
  readonly #looks: Pick<DomainLooks, 'brandOfUser'>;
  readonly #request: InteractionRequest;
  readonly #keep: (step: Step) => Promise<void>;

  /** `keep`: stores what was proved, for the next request. */
  constructor({ termsAtSignIn, domainLooks }: TermsStepDeps, request: InteractionRequest, keep: (step: Step) => Promise<void>) {
    this.#terms = termsAtSignIn;
    this.#looks = domainLooks;
    this.#request = request;
    this.#keep = keep;
  }

  /** Asks for them if they are missing; false if not. */
  async isAsked(step: Step, refused?: PageRefusal): Promise<boolean> {
    const terms = await this.#terms.missing(step.userId);
    if (!terms) return false;
    await this.#keep(step);
    const { browser, form } = this.#request;
    const look = browser.look.in(await this.#looks.brandOfUser(step.userId));
    sendAnswer(browser, termsPage(look, { ...form, terms, refused }), refused);
    return true;
  }

  /** What is wrong, such as a version that is not that of now; undefined if the terms are accepted. */
  async accept({ userId }: Step, form: URLSearchParams, requestId: string): Promise<PageRefusal | undefined> {
    const { words } = this.#request.browser.look;
    try {
      await this.#terms.accept({ userId, requestId }, form.get('terms') ?? '');
      return undefined;
    } catch (error) {
      return refusalOf(words, error, words.termsNotAccepted);
    }
  }
}

function termsPage(
  look: PageLook,
  about: { readonly action: string; readonly token: string; readonly terms: Terms; readonly refused?: WrongForm | undefined },
): string {
  const { words } = look;
  const begin = (step: string) => html`${hidden('form_token', about.token)}${hidden('step', step)}`;
  const body = html`<p>${words.termsChangedText}</p>
<form method="post" action="${about.action}">${begin('terms')}${termsField(words, about.terms, about.refused)}<button type="submit">${words.continueLabel}</button></form>
<form method="post" action="${about.action}">${begin('cancel')}<button type="submit" class="second">${words.cancel}</button></form>`;
  return page(look, { title: words.termsChangedTitle, body });
}
