// Trying the sign-in of an application: runs the code flow in its place, and shows each step.
import { html, nothing, type TemplateResult } from 'lit';
import { define, PageElement } from '../../shared/element.ts';
import { form } from '../../shared/form.ts';
import { type Problem, problemMessage, problemOf } from '../../shared/problem.ts';
import { table } from '../../shared/table.ts';
import { awaitAnswer } from '../../shared/try-channel.ts';
import { words } from '../words/index.ts';
import { type Attempt, answerProblem, beginAttempt, type Claims, type Exchange, redeem, type Values } from './try-flow.ts';
import { type ConsumerWithSecret, WITHOUT_SECRET } from './types.ts';

const DEFAULT_SCOPE = 'openid profile email roles';
/** Never shown whole. */
const SECRETS: readonly string[] = ['access_token', 'refresh_token', 'id_token', 'code', 'code_verifier'];

const valuesOf = (claims: Claims): Values =>
  Object.entries(claims).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);

function shown([name, value]: Values[number]): string {
  if (SECRETS.includes(name)) return words.trySignIn.shortened(value.slice(0, 6), value.length);
  return value;
}

function valueTable(caption: string, values: Values): TemplateResult {
  const { trySignIn } = words;
  const meanings: Readonly<Record<string, string>> = trySignIn.meanings;
  return table<Values[number]>({
    caption,
    rows: values,
    key: ([name]) => name,
    columns: [
      { name: trySignIn.parameter, isHeader: true, cell: ([name]) => html`<code>${name}</code>` },
      { name: trySignIn.value, cell: (pair) => html`<code class="wrap">${shown(pair)}</code>` },
      { name: trySignIn.meaning, cell: ([name]) => (Object.hasOwn(meanings, name) ? meanings[name]! : nothing) },
    ],
  });
}

/** `<gh-try-sign-in .consumer=${...}>` */
export class TrySignIn extends PageElement {
  #consumer: ConsumerWithSecret | undefined;
  #attempt: Attempt | undefined;
  #answer: Claims | undefined;
  #exchange: Exchange | undefined;
  #problem: Problem | undefined;
  #isBusy = false;
  #stopWaiting: (() => void) | undefined;

  set consumer(consumer: ConsumerWithSecret) {
    if (this.#consumer?.id !== consumer.id) this.#forget();
    this.#consumer = consumer;
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    this.#forget();
    super.disconnectedCallback();
  }

  #forget(): void {
    this.#stopWaiting?.();
    this.#attempt = undefined;
    this.#answer = undefined;
    this.#exchange = undefined;
    this.#problem = undefined;
  }

  async #begin(scope: string, prompt: string): Promise<void> {
    this.#forget();
    const attempt = await beginAttempt(this.#consumer!, { scope, prompt });
    this.#stopWaiting = awaitAnswer<Claims>(attempt.id, (answer) => void this.#receive(attempt, answer));
    this.#attempt = attempt;
    this.requestUpdate();
  }

  async #receive(attempt: Attempt, answer: Claims): Promise<void> {
    if (this.#attempt !== attempt || this.#answer) return;
    this.#answer = answer;
    if (typeof answer.code === 'string' && answerProblem(attempt, answer) === undefined) {
      this.#isBusy = true;
      this.requestUpdate();
      try {
        this.#exchange = await redeem(this.#consumer!, attempt, answer.code);
      } catch (error) {
        this.#problem = problemOf(error, true);
      }
      this.#isBusy = false;
    }
    this.requestUpdate();
    await this.updateComplete;
    this.querySelector<HTMLElement>('#try-answer')?.focus();
  }

  #start(): TemplateResult {
    const { trySignIn } = words;
    return html`<section class="card"><h2>${trySignIn.title}</h2><p>${trySignIn.intro}</p>
      ${form({
        fields: [
          {
            name: 'scope',
            label: trySignIn.scope,
            value: DEFAULT_SCOPE,
            required: true,
            hint: trySignIn.scopeHint,
            maxLength: 500,
          },
          { name: 'login', label: trySignIn.askPassword, type: 'checkbox' },
          { name: 'consent', label: trySignIn.askConsent, type: 'checkbox' },
        ],
        submitLabel: trySignIn.begin,
        submit: (values) =>
          this.#begin(values.text('scope'), ['login', 'consent'].filter((name) => values.checked(name)).join(' ')),
      })}</section>`;
  }

  #request({ url, parameters }: Attempt): TemplateResult {
    const { trySignIn } = words;
    return html`<section class="card"><h2>${trySignIn.requestTitle}</h2><p>${trySignIn.requestText}</p>
      ${valueTable(trySignIn.requestTitle, parameters)}
      ${this.#answer ? nothing : html`<p><a class="button" href=${url} target="_blank" rel="noopener">${trySignIn.open}</a></p><p role="status">${trySignIn.waiting}</p>`}</section>`;
  }

  #answerStep(attempt: Attempt, answer: Claims): TemplateResult {
    const { trySignIn } = words;
    const wrong = answerProblem(attempt, answer);
    return html`<section class="card"><h2 id="try-answer" tabindex="-1">${trySignIn.answerTitle}</h2>
      ${
        wrong
          ? html`<p class="bad" role="alert">${trySignIn.wrongAnswer[wrong]}</p>`
          : html`<p>${answer.code === undefined ? trySignIn.refused : trySignIn.answerText}</p>`
      }
      ${valueTable(trySignIn.answerTitle, valuesOf(answer))}</section>`;
  }

  #exchangeSteps({ request, tokens, idToken, problems, userInfo, areEnded }: Exchange): TemplateResult {
    const { trySignIn } = words;
    const hasSecret = this.#consumer!.client_type !== 'public';
    return html`<section class="card"><h2>${trySignIn.tokenTitle}</h2>
        <p>${trySignIn.tokenText} ${hasSecret ? trySignIn.withSecret : trySignIn.withoutSecret}</p>
        ${valueTable(trySignIn.tokenTitle, request)}
        <h3>${trySignIn.tokenAnswer}</h3>${valueTable(trySignIn.tokenAnswer, valuesOf(tokens))}</section>
      <section class="card"><h2>${trySignIn.idTokenTitle}</h2>
        ${
          idToken
            ? html`<p>${trySignIn.idTokenText}</p>
              ${
                problems.length > 0
                  ? html`<p class="bad" role="alert">${trySignIn.idTokenWrong} ${problems.join(', ')}</p>`
                  : html`<p><span class="badge good">${trySignIn.idTokenRight}</span></p>`
              }
              ${valueTable(trySignIn.idTokenTitle, valuesOf(idToken.claims))}
              <h3>${trySignIn.header}</h3>${valueTable(trySignIn.header, valuesOf(idToken.header))}`
            : html`<p>${trySignIn.noIdToken}</p>`
        }</section>
      <section class="card"><h2>${trySignIn.userInfoTitle}</h2><p>${trySignIn.userInfoText}</p>
        ${userInfo ? valueTable(trySignIn.userInfoTitle, valuesOf(userInfo)) : html`<p>${trySignIn.noUserInfo}</p>`}
        <p class=${areEnded ? '' : 'bad'}>${areEnded ? trySignIn.ended : trySignIn.notEnded}</p></section>`;
  }

  protected override render(): TemplateResult {
    const { trySignIn } = words;
    if (!window.isSecureContext) return html`<p>${trySignIn.needsHttps}</p>`;
    // Only the application has its key, and the page cannot act in its place.
    if (WITHOUT_SECRET.includes(this.#consumer?.token_endpoint_auth_method ?? '')) return html`<p>${trySignIn.needsKey}</p>`;
    const attempt = this.#attempt;
    return html`${this.#start()}
      ${attempt ? this.#request(attempt) : nothing}
      ${attempt && this.#answer ? this.#answerStep(attempt, this.#answer) : nothing}
      ${this.#isBusy ? html`<p role="status">${trySignIn.redeeming}</p>` : nothing}
      ${problemMessage(this.#problem)}
      ${this.#exchange ? this.#exchangeSteps(this.#exchange) : nothing}`;
  }
}

define('gh-try-sign-in', TrySignIn);
