// A new application, in four steps: its kind, its name, its addresses, and what to give to its developers.
import { html, nothing, type TemplateResult } from 'lit';
import { copyable } from '../../shared/dialog.ts';
import { define } from '../../shared/element.ts';
import { form } from '../../shared/form.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { frame, go, goQuery } from '../frame.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { snippets } from './snippets.ts';
import { addressProblem, type ConsumerWithSecret, isInsecure, isKind, KIND_VALUES, KINDS, type Kind, linesOf } from './types.ts';

interface Draft {
  readonly name: string;
  readonly description: string | undefined;
}

class NewApplication extends Screen {
  #draft: Draft | undefined;
  #made: ConsumerWithSecret | undefined;
  #insecure: readonly string[] = [];

  heading(): string {
    return this.#made ? words.applications.madeTitle(this.#made.name) : words.applications.create;
  }

  protected content(): Content {
    const kind = this.location.query.get('kind');
    if (this.#made) return this.#done(this.#made, isKind(kind) ? kind : 'web');
    if (!isKind(kind)) return this.#chooseKind();
    return this.#draft ? this.#askAddresses(kind, this.#draft) : this.#askName(kind);
  }

  #step(number: number, title: string): TemplateResult {
    return html`<p class="soft">${words.applications.step(number, 4)}</p><h2>${title}</h2>`;
  }

  #chooseKind(): Content {
    const { applications } = words;
    return html`${this.#step(1, applications.chooseKind)}
      <ul class="cards">${KINDS.map(
        (kind) => html`<li class="card">
          <h3><a href=${hrefOf('/applications/new', { kind })}>${applications.kinds[kind].name}</a></h3>
          <p>${applications.kinds[kind].text}</p>
        </li>`,
      )}</ul>`;
  }

  #askName(kind: Kind): Content {
    const { applications } = words;
    return html`${this.#step(2, applications.nameTitle(applications.kinds[kind].name))}
      ${form({
        fields: [
          { name: 'name', label: applications.name, required: true, maxLength: 255, hint: applications.nameHint },
          { name: 'description', label: applications.description, type: 'textarea' },
        ],
        submitLabel: applications.goOn,
        cancel: () => void goQuery({ kind: undefined }),
        submit: async (values) => {
          this.#draft = { name: values.text('name'), description: values.optional('description') };
          frame.setDirty(true);
          if (KIND_VALUES[kind].hasAddresses) this.requestUpdate();
          else await this.#create(kind, [], undefined);
        },
      })}`;
  }

  #askAddresses(kind: Kind, { name }: Draft): Content {
    const { applications } = words;
    return html`${this.#step(3, applications.addressesTitle(name))}
      ${form({
        fields: [
          {
            name: 'uris',
            attribute: 'redirect_uris',
            label: applications.redirectUris,
            type: 'textarea',
            required: true,
            hint: applications.redirectUrisHint,
            check: addressProblem,
            onChange: (text) => {
              this.#insecure = linesOf(text).filter(isInsecure);
              this.requestUpdate();
            },
          },
          { name: 'url', label: applications.homeUrl, type: 'url', hint: applications.homeUrlHint },
        ],
        extra: this.#insecure.length > 0 ? html`<p class="warn">${applications.insecure(this.#insecure[0]!)}</p>` : nothing,
        submitLabel: applications.register,
        cancel: () => {
          this.#draft = undefined;
          this.requestUpdate();
        },
        submit: (values) => this.#create(kind, linesOf(values.text('uris')), values.optional('url')),
      })}`;
  }

  async #create(kind: Kind, redirectUris: string[], url: string | undefined): Promise<void> {
    const { client_type, grant_type } = KIND_VALUES[kind];
    const { consumer } = await api.post<{ consumer: ConsumerWithSecret }>('/v3/OS-OAUTH2/consumers', {
      consumer: { ...this.#draft, kind, client_type, grant_type, redirect_uris: redirectUris, ...(url ? { url } : {}) },
    });
    frame.setDirty(false);
    this.#made = consumer;
    this.requestUpdate();
  }

  #done(made: ConsumerWithSecret, kind: Kind): Content {
    const { applications } = words;
    return html`${this.#step(4, applications.doneTitle)}
      <section class="card">
        <h3>${applications.clientId}</h3>
        ${copyable(made.id)}
        ${made.client_type === 'public' ? html`<p>${applications.noSecret}</p>` : html`<h3>${applications.secret}</h3><p>${applications.secretOnce}</p>${copyable(made.secret)}`}
        <div class="buttons"><button type="button" @click=${() => void go(`/applications/${part(made.id)}`)}>${applications.openApplication}</button></div>
      </section>
      ${snippets(made, kind)}`;
  }
}

define('gh-new-application', NewApplication);
