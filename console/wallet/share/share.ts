// A request of a verifier: who asks, how they proved it, every claim that would leave and to whom; then consent or refusal.
import { html, nothing, type TemplateResult } from 'lit';
import { define } from '../../shared/element.ts';
import { form } from '../../shared/form.ts';
import { ApiError } from '../../shared/http.ts';
import { problemOf } from '../../shared/problem.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { dateText } from '../../shared/time.ts';
import { labelOf, titleOf, valueAt } from '../display.ts';
import { previewOf } from '../open/links.ts';
import { hostOf, shownIssuer, shownPeer } from '../peer.ts';
import { api } from '../session.ts';
import type { Credential, Path, PresentationAnswer, PresentationPreview, PreviewQuery, QuerySet } from '../types.ts';
import { valueText } from '../value-text.ts';
import { words } from '../words/index.ts';
import { Choice, NOTHING } from './choice.ts';

/** So many are described from the beginning. Others are read when they are chosen. */
const MAX_READ = 40;

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

  #who({ verifier, responseUri, policyUri, sets = [] }: PresentationPreview): TemplateResult {
    const { share } = words;
    const purposes = sets.flatMap(({ purpose }) => purpose ?? []);
    const { heading, callsItself } = shownPeer(verifier.name, responseUri, verifier.trust);
    const proof = (share.proofs as Record<string, string>)[verifier.trust] ?? verifier.trust;
    return html`<section class="card">
      <h2>${share.who}</h2>
      <p class="peer">${heading}</p>
      ${callsItself === undefined ? nothing : html`<p>${share.callsItself} <q>${callsItself}</q></p>`}
      <p class=${verifier.authenticated ? 'soft' : 'bad'}>${proof}</p>
      <dl class="facts">
        <dt>${share.goesTo}</dt><dd><strong>${hostOf(responseUri)}</strong></dd>
        ${verifier.certificate ? html`<dt>${share.certificate}</dt><dd>${verifier.certificate.subject}<br /><span class="soft">${share.certificateUntil(dateText(verifier.certificate.validUntil))}</span></dd>` : nothing}
        <dt>${share.clientId}</dt><dd><code>${verifier.clientId}</code></dd>
        ${purposes.length > 0 ? html`<dt>${share.purpose}</dt><dd>${purposes.map((one) => html`<p>${one}</p>`)}</dd>` : nothing}
        ${policyUri ? html`<dt>${share.policy}</dt><dd><a href=${policyUri} target="_blank" rel="noopener noreferrer">${hostOf(policyUri)}</a></dd>` : nothing}
      </dl>
    </section>`;
  }

  /** What a query is about: the kind of credential that answers it. */
  #nameOf(id: string): string {
    const [match] = this.#choice!.query(id).matches;
    const credential = match && this.#credentials.get(match.credentialId);
    return credential ? titleOf(credential) : id;
  }

  #setChoice({ options, required, purpose }: QuerySet, at: number): Content {
    const { share } = words;
    const choice = this.#choice!;
    if (options.length === 1 && required) return nothing;
    const choose = (option: number): void => this.#chooseAgain((one) => one.chooseOption(at, option));
    const radio = (option: number, label: string, isPossible: boolean): TemplateResult =>
      html`<label class="check"><input type="radio" name="set-${at}" ?disabled=${!isPossible} .checked=${choice.optionOf(at) === option} @change=${() => choose(option)} />
        <span>${label}${isPossible ? nothing : html` <span class="soft">(${choice.unknownIn(options[option] ?? []).length > 0 ? share.unknown : share.missing})</span>`}</span></label>`;
    return html`<fieldset class="card">
      <legend>${purpose ?? (required ? share.chooseOne : share.optional)}</legend>
      ${options.map((option, index) => radio(index, option.map((id) => this.#nameOf(id)).join(' + '), choice.isPossible(option)))}
      ${required ? nothing : radio(NOTHING, share.nothing, true)}
    </fieldset>`;
  }

  #claims(credential: Credential | undefined, disclosed: readonly Path[]): TemplateResult {
    if (disclosed.length === 0) return html`<p>${words.share.noClaims}</p>`;
    return html`<dl class="facts disclosed">${disclosed.map(
      (path) =>
        html`<dt>${labelOf(path, credential?.labels ?? [])}</dt><dd>${credential ? valueText(valueAt(credential.claims, path)) : '…'}</dd>`,
    )}</dl>`;
  }

  #query({ id, matches }: PreviewQuery, at: number): TemplateResult {
    const { share } = words;
    const { match, claimSet, disclosed } = this.#choice!.chosen(id);
    const credential = this.#credentials.get(match.credentialId);
    const { claimSets = [] } = match;
    const choose = (credentialId: string, set?: number): void => this.#chooseAgain((one) => one.choose(id, credentialId, set));
    const describe = (credentialId: string): string => {
      const one = this.#credentials.get(credentialId);
      return one ? share.credential(titleOf(one), shownIssuer(one.issuer), dateText(one.addedAt)) : credentialId;
    };
    const described = matches.filter(({ credentialId }) => this.#credentials.has(credentialId)).length;
    return html`<section class="card">
      <h2>${this.#nameOf(id)}</h2>
      ${
        matches.length > 1
          ? html`<div class="field"><label for="credential-${at}">${share.which}</label>
            <select id="credential-${at}" @change=${(event: Event) => choose((event.target as HTMLSelectElement).value)}>
              ${matches.map(({ credentialId }) => html`<option value=${credentialId} ?selected=${credentialId === match.credentialId}>${describe(credentialId)}</option>`)}
            </select>${described < matches.length ? html`<p class="hint">${share.many(matches.length, described)}</p>` : nothing}</div>`
          : html`<p class="soft">${describe(match.credentialId)}</p>`
      }
      ${
        claimSets.length > 1
          ? html`<fieldset><legend>${share.howMuch}</legend>${claimSets.map(
              ({ index, disclosed: paths }) =>
                html`<label class="check"><input type="radio" name="claims-${at}" .checked=${index === claimSet} @change=${() => choose(match.credentialId, index)} />
                <span>${paths.map((path) => labelOf(path, credential?.labels ?? [])).join(', ') || share.noClaims}</span></label>`,
            )}</fieldset>`
          : nothing
      }
      <h3>${share.leaves}</h3>
      ${this.#claims(credential, disclosed)}
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
    return one ? words.share.unknownFormat(one.id, one.format) : words.share.notSatisfiable;
  }

  protected content(): Content {
    if (this.#answer) return this.#done(this.#answer);
    const { share } = words;
    const preview = this.#preview!;
    const choice = this.#choice!;
    const { heading: who } = shownPeer(preview.verifier.name, preview.responseUri, preview.verifier.trust);
    const refuse = (): Promise<void> => this.#send({ action: 'reject' });
    return html`${this.#isOutdated ? html`<p class="warn" role="alert">${share.outdated}</p>` : nothing}
      ${this.#who(preview)}
      ${
        preview.satisfiable
          ? html`${choice.sets.map((set, at) => this.#setChoice(set, at))}
            ${choice.answered.map((query, at) => this.#query(query, at))}`
          : html`<p class="bad" role="alert">${this.#whyNot(choice)}</p>`
      }
      ${preview.transactionData ? html`<section class="card"><h2>${share.transaction}</h2>${preview.transactionData.map((one) => html`<pre>${JSON.stringify(one, undefined, 2)}</pre>`)}</section>` : nothing}
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
      </section>`;
  }
}

define('gw-share', Share);
