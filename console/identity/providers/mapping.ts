// The mapping of a provider, as a form or as a text, beside the claims of a real try and what the mapping makes of them.

import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { edit, type Version } from '../../shared/edit.ts';
import { define, PageElement } from '../../shared/element.ts';
import { type FormField, FormValues } from '../../shared/form.ts';
import { type Problem, problemMessage, problemOf } from '../../shared/problem.ts';
import { part } from '../../shared/router.ts';
import { announce } from '../../shared/status.ts';
import { awaitAnswer } from '../../shared/try-channel.ts';
import { frame } from '../frame.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { linesOf, pairsOf, pairText } from './lines.ts';
import { claimList, resultView } from './result.ts';
import { type Claims, MAPPINGS, type MappingResult, type Provider, providerPath } from './types.ts';
import { readUsual, type UsualMapping, writeUsual } from './usual-mapping.ts';

export interface Mapping {
  readonly id: string;
  readonly rules: readonly unknown[];
  readonly schema_version: string;
}

export interface MappingOptions {
  readonly provider: Provider;
  readonly version: Version<Mapping>;
  readonly mayChange: boolean;
  /** Only OpenID providers can be tried here. */
  readonly canTry: boolean;
  reload(): Promise<void>;
}

interface Attempt {
  readonly id: string;
  readonly url: string;
}

const EXAMPLE: Claims = { sub: '7f3a', preferred_username: 'ada', email: 'ada@example.org', email_verified: true };

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
const pretty = (value: unknown): string => JSON.stringify(value, undefined, 2);

/** `<gh-provider-mapping .options=${...}>` */
class MappingElement extends PageElement {
  #options: MappingOptions | undefined;
  #asText: boolean | undefined;
  #attempt: Attempt | undefined;
  #stopWaiting: (() => void) | undefined;
  #claims: Claims | undefined;
  #result: MappingResult | undefined;
  #problem: Problem | undefined;
  #isBusy = false;

  set options(options: MappingOptions) {
    if (this.#options?.provider.id !== options.provider.id) this.#forget();
    this.#options = options;
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    this.#forget();
    super.disconnectedCallback();
  }

  #forget(): void {
    this.#stopWaiting?.();
    this.#attempt = undefined;
    this.#result = undefined;
    this.#problem = undefined;
  }

  get #path(): string {
    return providerPath(this.#options!.provider.id);
  }

  #fields({ rules }: Mapping): readonly FormField[] {
    const { providers } = words;
    const usual = readUsual(rules, this.#options!.provider.domain_id);
    if (this.#asText || !usual)
      return [
        {
          name: 'rules',
          label: providers.rules,
          hint: providers.rulesHint,
          type: 'textarea',
          required: true,
          value: pretty(rules),
          check: (entered) => (Array.isArray(readJson(entered)) ? undefined : providers.noJson),
        },
      ];
    const suggestions = Object.keys(this.#claims ?? {});
    const claim = (name: string, label: string, value: string, more: Partial<FormField> = {}): FormField => ({
      name,
      label,
      value,
      maxLength: 255,
      suggestions: suggestions.length > 0 ? suggestions : ['preferred_username', 'email', 'name', 'sub', 'groups'],
      ...more,
    });
    const lines = (name: string, label: string, value: string, hint: string): FormField => ({
      name,
      label,
      value,
      hint,
      type: 'textarea',
    });
    return [
      claim('name', providers.nameClaim, usual.name, {
        required: true,
        hint: providers.nameClaimHint,
        section: { title: providers.who },
      }),
      claim('email', providers.emailClaim, usual.email),
      claim('onlyClaim', providers.onlyClaim, usual.onlyClaim, {
        section: { title: providers.only, hint: providers.onlyHint },
      }),
      lines('onlyValues', providers.onlyValues, usual.onlyValues.join('\n'), providers.oneALine),
      claim('groupsClaim', providers.groupsClaim, usual.groupsClaim, {
        section: { title: providers.groups, hint: providers.groupsHint },
      }),
      lines('groups', providers.groupLines, pairText(usual.groups), providers.groupLinesHint),
      claim('rolesClaim', providers.rolesClaim, usual.rolesClaim, {
        hint: providers.rolesClaimHint,
        section: { title: providers.roles, hint: providers.rolesHint },
      }),
      lines('rolesValues', providers.onlyValues, usual.rolesValues.join('\n'), providers.oneALine),
      lines('roles', providers.roleLines, pairText(usual.roles), providers.roleLinesHint),
    ];
  }

  /** The rules as they are entered. */
  #rulesOf(values: FormValues): readonly unknown[] {
    const entered = values.text('rules');
    if (entered !== '') return readJson(entered) as unknown[];
    const usual: UsualMapping = {
      name: values.text('name'),
      email: values.text('email'),
      onlyClaim: values.text('onlyClaim'),
      onlyValues: linesOf(values.text('onlyValues')),
      groupsClaim: values.text('groupsClaim'),
      groups: pairsOf(values.text('groups')),
      rolesClaim: values.text('rolesClaim'),
      rolesValues: linesOf(values.text('rolesValues')),
      roles: pairsOf(values.text('roles')),
    };
    return writeUsual(usual, this.#options!.provider.domain_id);
  }

  get #entered(): readonly unknown[] | undefined {
    const found = this.querySelector<HTMLFormElement>('#mapping form');
    return found ? this.#rulesOf(new FormValues(found)) : undefined;
  }

  async #run(work: () => Promise<void>): Promise<void> {
    this.#problem = undefined;
    this.#isBusy = true;
    this.requestUpdate();
    try {
      await work();
    } catch (error) {
      this.#problem = problemOf(error, true);
    }
    this.#isBusy = false;
    this.requestUpdate();
  }

  /** With the rules as they are entered: before they are saved. */
  #tryClaims(): Promise<void> {
    return this.#run(async () => {
      const claims = readJson(this.querySelector<HTMLTextAreaElement>('#claims')!.value) as Claims;
      const rules = this.#entered;
      const { schema_version } = this.#options!.version.thing;
      const trial = { claims, ...(rules ? { rules, schema_version } : {}) };
      this.#result = undefined;
      this.#result = (await api.post<{ result: MappingResult }>(`${this.#path}/mapping_trials`, { trial })).result;
      this.#claims = claims;
    }).then(() => this.#focusResult());
  }

  #begin(): Promise<void> {
    this.#forget();
    return this.#run(async () => {
      const { attempt } = await api.post<{ attempt: Attempt }>(`${this.#path}/sign_in_attempts`, {});
      this.#stopWaiting = awaitAnswer<string>(attempt.id, (query) => void this.#receive(attempt, query));
      this.#attempt = attempt;
    });
  }

  #receive(attempt: Attempt, query: string): Promise<void> {
    return this.#run(async () => {
      if (this.#attempt !== attempt) return;
      this.#attempt = undefined;
      const path = `${this.#path}/sign_in_attempts/${part(attempt.id)}/answer`;
      const { attempt: found } = await api.post<{ attempt: { claims: Claims; result: MappingResult } }>(path, {
        answer: { query },
      });
      this.#claims = found.claims;
      this.#result = found.result;
      const place = this.querySelector<HTMLTextAreaElement>('#claims');
      if (place) place.value = pretty(found.claims);
    }).then(() => this.#focusResult());
  }

  async #focusResult(): Promise<void> {
    await this.updateComplete;
    this.querySelector<HTMLElement>('#result')?.focus();
  }

  #form({ version, reload }: MappingOptions): TemplateResult {
    const { providers } = words;
    const path = `${MAPPINGS}/${part(version.thing.id)}`;
    return html`${keyed(
      `${version.etag} ${this.#asText}`,
      edit<Mapping>({
        version,
        fields: (thing) => this.#fields(thing),
        read: async () => {
          const { body, etag } = await api.read<{ mapping: Mapping }>(path);
          return { thing: body.mapping, etag };
        },
        save: (values, ifMatch) => api.patch(path, { mapping: { rules: this.#rulesOf(values) } }, { ifMatch }),
        onDirty: () => frame.setDirty(true),
        onSaved: async () => {
          frame.setDirty(false);
          await reload();
          announce(providers.mappingSaved);
        },
      }),
    )}`;
  }

  #trySection(): TemplateResult {
    const { providers } = words;
    const attempt = this.#attempt;
    return html`<section class="card"><h2>${providers.tryTitle}</h2><p>${providers.tryText}</p>
      ${
        attempt
          ? html`<p><a class="button" href=${attempt.url} target="_blank" rel="noopener noreferrer">${providers.tryOpen}</a></p>
            <p role="status">${providers.tryWaiting}</p>`
          : html`<div class="buttons"><button type="button" ?disabled=${this.#isBusy} @click=${() => void this.#begin()}>${providers.tryBegin}</button></div>`
      }</section>`;
  }

  protected override render(): TemplateResult | typeof nothing {
    const options = this.#options;
    if (!options) return nothing;
    const { providers } = words;
    const { rules } = options.version.thing;
    const isUsual = readUsual(rules, options.provider.domain_id) !== undefined;
    if (!options.mayChange) return html`<section class="card"><pre><code>${pretty(rules)}</code></pre></section>`;
    const other = html`<button type="button" class="second small" @click=${() => {
      this.#asText = !this.#asText;
      this.requestUpdate();
    }}>${this.#asText ? providers.asForm : providers.asText}</button>`;
    return html`${options.canTry ? this.#trySection() : nothing}
      <section class="card"><h2>${providers.claimsTitle}</h2>
        <div class="field"><label for="claims">${providers.claims}</label><p class="hint" id="claims-hint">${providers.claimsHint}</p>
        <textarea id="claims" rows="8" spellcheck="false" aria-describedby="claims-hint" .defaultValue=${pretty(EXAMPLE)}></textarea></div>
        <div class="buttons"><button type="button" class="second" ?disabled=${this.#isBusy} @click=${() => void this.#tryClaims()}>${providers.tryClaims}</button></div>
        ${problemMessage(this.#problem)}
        ${
          this.#result
            ? html`<h3 id="result" tabindex="-1">${providers.resultTitle}</h3>${resultView(this.#result)}
              <details><summary>${providers.claimsArrived}</summary>${claimList(this.#claims ?? {})}</details>`
            : nothing
        }</section>
      <section class="card" id="mapping"><div class="between"><h2>${providers.mapping}</h2>${isUsual ? other : nothing}</div>
        <p>${isUsual ? providers.mappingText : providers.mappingOwn}</p>${this.#form(options)}</section>`;
  }
}

define('gh-provider-mapping', MappingElement);

export const mappingOf = (options: MappingOptions): TemplateResult =>
  html`<gh-provider-mapping .options=${options}></gh-provider-mapping>`;
