// A request of a verifier: who asks, how they proved it, every claim that would leave and to whom; then consent or refusal.
import { html, nothing, type TemplateResult } from 'lit';
import { define } from '../../shared/element.ts';
import { form } from '../../shared/form.ts';
import { ApiError } from '../../shared/http.ts';
import { problemOf } from '../../shared/problem.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { labelOf, titleOf, valueAt } from '../display.ts';
import { previewOf } from '../open/links.ts';
import { hostOf } from '../peer.ts';
import { api } from '../session.ts';
import { readableText, shortened } from '../strangers.ts';
import type { Credential, Match, Path, PresentationAnswer, PresentationPreview, PreviewQuery, QuerySet } from '../types.ts';
import { wholeValue } from '../value.ts';
import { words } from '../words/index.ts';
import { Choice, NOTHING } from './choice.ts';
import { choiceOf, describe, onlyOne, requestDetails, whatFor, whoAsks } from './parts.ts';

/** So many are described from the beginning. Others are read when they are chosen. */
const MAX_READ = 40;
/** More are in a list that opens. */
const MAX_SIDE_BY_SIDE = 6;
/** In characters. */
const MAX_NAMES = 300;

class Share extends Screen {
  #preview: PresentationPreview | undefined;
  #choice: Choice | undefined;
  #credentials = new Map<string, Credential>();
  #answer: PresentationAnswer | undefined;
  #isOutdated = false;

  heading(): string {
    return words.share.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    if (this.#answer) return;
    const preview = await previewOf<PresentationPreview>('oid4vp', this.location.params.id!, signal);
    const ids = new Set(preview.query.flatMap(({ matches }) => matches.map(({ credentialId }) => credentialId)));
    const read = await Promise.all(
      [...ids].slice(0, MAX_READ).map((id) => api.get<Credential>(`/credentials/${part(id)}`, { signal })),
    );
    this.#credentials = new Map(read.map((one) => [one.id, one]));
    this.#preview = preview;
    this.#choice = new Choice(preview);
    await this.#readChosen(signal);
  }

  get #unread(): readonly string[] {
    const choice = this.#choice!;
    if (!this.#preview!.satisfiable) return [];
    return choice.answered.map(({ id }) => choice.chosen(id).match.credentialId).filter((id) => !this.#credentials.has(id));
  }

  /** Nobody consents to what is not shown. */
  async #readChosen(signal?: AbortSignal): Promise<void> {
    const read = this.#unread.map((id) => api.get<Credential>(`/credentials/${part(id)}`, signal ? { signal } : {}));
    for (const one of await Promise.all(read)) this.#credentials.set(one.id, one);
  }

  async #send(body: object): Promise<void> {
    const { exchangeId } = this.#preview!;
    try {
      this.#answer = await api.post<PresentationAnswer>('/oid4vp', { exchangeId, ...body });
      this.requestUpdate();
      this.querySelector<HTMLElement>('h1')?.focus();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'preview-outdated') throw error;
      this.#isOutdated = true;
      await this.reload();
    }
  }

  #chooseAgain(change: (choice: Choice) => void): void {
    change(this.#choice!);
    this.requestUpdate();
    if (this.#unread.length === 0) return;
    this.#readChosen().then(
      () => this.requestUpdate(),
      (error: unknown) => announce(problemOf(error).title),
    );
  }

  /** What a query is about: the kind of credential that answers it. */
  #nameOf(id: string): string {
    const [match] = this.#choice!.query(id).matches;
    const credential = match && this.#credentials.get(match.credentialId);
    return credential ? titleOf(credential) : shortened(readableText(id), MAX_NAMES);
  }

  #setChoice({ options, required }: QuerySet, at: number): Content {
    const { share } = words;
    const choice = this.#choice!;
    if (options.length === 1 && required) return nothing;
    const choose = (option: number): void => this.#chooseAgain((one) => one.chooseOption(at, option));
    const nameOf = (option: readonly string[]): string => option.map((id) => this.#nameOf(id)).join(' + ');
    const whyNot = (option: readonly string[]): string =>
      choice.isPossible(option) ? '' : `(${choice.unknownIn(option).length > 0 ? share.unknown : share.missing})`;
    const box = (
      type: 'radio' | 'checkbox',
      label: string,
      isChosen: boolean,
      why: string,
      change: (event: Event) => void,
    ): TemplateResult =>
      html`<label class="check"><input type=${type} name="set-${at}" ?disabled=${why !== ''} .checked=${isChosen} @change=${change} />
        <span><bdi>${label}</bdi>${why === '' ? nothing : html` <span class="soft">${why}</span>`}</span></label>`;
    const [only, ...others] = options;
    if (!required && only && others.length === 0)
      return html`<fieldset class="card"><legend>${share.optional}</legend>
        ${box('checkbox', share.alsoShow(nameOf(only)), choice.optionOf(at) === 0, whyNot(only), (event) =>
          choose((event.target as HTMLInputElement).checked ? 0 : NOTHING),
        )}</fieldset>`;
    return html`<fieldset class="card">
      <legend>${required ? share.chooseOne : share.optional}</legend>
      ${options.map((option, index) => box('radio', nameOf(option), choice.optionOf(at) === index, whyNot(option), () => choose(index)))}
      ${required ? nothing : box('radio', share.nothing, choice.optionOf(at) === NOTHING, '', () => choose(NOTHING))}
    </fieldset>`;
  }

  #claims(credential: Credential | undefined, disclosed: readonly Path[]): TemplateResult {
    if (disclosed.length === 0) return html`<p>${words.share.noClaims}</p>`;
    return html`<dl class="facts disclosed">${disclosed.map(
      (path) =>
        html`<dt>${labelOf(path, credential?.labels ?? [])}</dt><dd>${credential ? wholeValue(valueAt(credential.claims, path)) : '…'}</dd>`,
    )}</dl>`;
  }

  /** Which of several credentials is shown. */
  #whichOne({ id, matches }: PreviewQuery, at: number, chosen: string): Content {
    const { share } = words;
    const choose = (credentialId: string): void => this.#chooseAgain((one) => one.choose(id, credentialId));
    const known = (credentialId: string): Credential | undefined => this.#credentials.get(credentialId);
    const [only] = matches;
    if (matches.length === 1) {
      const credential = known(only!.credentialId);
      return credential ? onlyOne(credential) : nothing;
    }
    if (matches.length <= MAX_SIDE_BY_SIDE)
      return html`<fieldset><legend>${share.which}</legend>${matches.map(({ credentialId }) => {
        const credential = known(credentialId);
        return html`<label class="check"><input type="radio" name="credential-${at}" value=${credentialId} .checked=${credentialId === chosen} @change=${() => choose(credentialId)} />
          <span>${credential ? choiceOf(credential) : credentialId}</span></label>`;
      })}</fieldset>`;
    const described = matches.filter(({ credentialId }) => known(credentialId)).length;
    const label = (credentialId: string): string => {
      const credential = known(credentialId);
      return credential ? describe(credential) : credentialId;
    };
    return html`<div class="field"><label for="credential-${at}">${share.which}</label>
      <select id="credential-${at}" @change=${(event: Event) => choose((event.target as HTMLSelectElement).value)}>
        ${matches.map(({ credentialId }) => html`<option value=${credentialId} ?selected=${credentialId === chosen}>${label(credentialId)}</option>`)}
      </select>${described < matches.length ? html`<p class="hint">${share.many(matches.length, described)}</p>` : nothing}</div>`;
  }

  /** What can be left out of one credential. */
  #howMuch({ id }: PreviewQuery, at: number, { credentialId, claimSets = [] }: Match, chosen: number | undefined): Content {
    if (claimSets.length < 2) return nothing;
    const { share } = words;
    const labels = this.#credentials.get(credentialId)?.labels ?? [];
    const names = (paths: readonly Path[]): string => shortened(paths.map((path) => labelOf(path, labels)).join(', '), MAX_NAMES);
    const keyOf = (path: Path): string => JSON.stringify(path);
    const all = new Map(claimSets.flatMap(({ disclosed }) => disclosed).map((path) => [keyOf(path), path]));
    return html`<fieldset><legend>${share.howMuch}</legend>${claimSets.map(({ index, disclosed }) => {
      const kept = new Set(disclosed.map(keyOf));
      const leftOut = [...all].flatMap(([key, path]) => (kept.has(key) ? [] : [path]));
      return html`<label class="check"><input type="radio" name="claims-${at}" .checked=${index === chosen} @change=${() => this.#chooseAgain((one) => one.choose(id, credentialId, index))} />
        <span><bdi>${names(disclosed) || share.noClaims}</bdi>${leftOut.length === 0 ? nothing : html` <span class="soft">${share.without(names(leftOut))}</span>`}</span></label>`;
    })}</fieldset>`;
  }

  #query(query: PreviewQuery, at: number): TemplateResult {
    const { share } = words;
    const { match, claimSet, disclosed } = this.#choice!.chosen(query.id);
    const credential = this.#credentials.get(match.credentialId);
    return html`<section class="card">
      <h2>${this.#nameOf(query.id)}</h2>
      ${this.#whichOne(query, at, match.credentialId)} ${this.#howMuch(query, at, match, claimSet)}
      <h3>${share.leaves}</h3>
      ${this.#claims(credential, disclosed)}
      <p class="soft">${share.alsoLearns}</p>
    </section>`;
  }

  #done({ status, redirectUri, exchangeId }: PresentationAnswer): TemplateResult {
    const { share } = words;
    const isWeb = redirectUri !== undefined && /^https?:/.test(redirectUri);
    return html`<section class="card">
      <p class=${status === 'submitted' ? 'good' : 'warn'} role="status">${status === 'submitted' ? share.shared : share.refused}</p>
      <div class="buttons">
        ${isWeb ? html`<a class="button" href=${redirectUri} rel="noreferrer">${share.goOnAt(hostOf(redirectUri))}</a>` : nothing}
        <a class="button second" href=${hrefOf(`/history/${part(exchangeId)}`)}>${share.seeHistory}</a>
      </div>
    </section>`;
  }

  #whyNot({ unknown: [one] }: Choice): string {
    return one
      ? words.share.unknownFormat(shortened(readableText(one.id), MAX_NAMES), shortened(readableText(one.format), MAX_NAMES))
      : words.share.notSatisfiable;
  }

  protected content(): Content {
    if (this.#answer) return this.#done(this.#answer);
    const { share } = words;
    const preview = this.#preview!;
    const choice = this.#choice!;
    const who = hostOf(preview.responseUri);
    const refuse = (): Promise<void> => this.#send({ action: 'reject' });
    return html`${this.#isOutdated ? html`<p class="warn" role="alert">${share.outdated}</p>` : nothing}
      ${whoAsks(preview)} ${whatFor(preview)}
      ${
        preview.satisfiable
          ? html`${choice.sets.map((set, at) => this.#setChoice(set, at))}
            ${choice.answered.map((query, at) => this.#query(query, at))}`
          : html`<div class="bad" role="alert"><p>${this.#whyNot(choice)}</p></div>`
      }
      <section class="card">
        <h2>${share.decide}</h2>
        ${
          preview.satisfiable && choice.answered.length > 0 && this.#unread.length === 0
            ? form({
                fields: [],
                submitLabel: share.consent(who),
                submit: () => this.#send({ consent: choice.consent, claimSets: choice.claimSets }),
              })
            : nothing
        }
        <p class="soft refusal">${share.refuseText}</p>
        ${form({ fields: [], submitLabel: share.refuse, danger: true, submit: refuse })}
      </section>
      ${requestDetails(preview)}`;
  }
}

define('gw-share', Share);
