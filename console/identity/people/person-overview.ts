// Who a person is.
import { html } from 'lit';
import { copyable } from '../../shared/dialog.ts';
import { edit } from '../../shared/edit.ts';
import type { FormField } from '../../shared/form.ts';
import { LANGUAGES } from '../../shared/languages.ts';
import type { Choice } from '../../shared/pick.ts';
import type { Content } from '../../shared/screen.ts';
import { announce } from '../../shared/status.ts';
import { time } from '../../shared/time.ts';
import { frame } from '../frame.ts';
import { findOrganizations, namesOf, thingLink, type User } from '../resources.ts';
import { api } from '../session.ts';
import { words } from '../words/index.ts';
import { PersonTab } from './person-tab.ts';

const ATTRIBUTES = ['given_name', 'family_name', 'language', 'zoneinfo'] as const;
const OFFERED = 20;
const ZONES: readonly string[] = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

async function findZones(text: string): Promise<readonly Choice[]> {
  const sought = text.toLowerCase().replaceAll(' ', '_');
  const found = ZONES.filter((zone) => zone.toLowerCase().includes(sought)).slice(0, OFFERED);
  return found.map((zone) => ({ value: zone, label: zone }));
}

export class PersonOverview extends PersonTab {
  #domain: string | undefined;
  #organization = '';

  async load(signal: AbortSignal): Promise<void> {
    const { user } = this.context;
    const organizations = user.default_project_id ? [user.default_project_id] : [];
    const [domains, projects] = await Promise.all([
      namesOf('domains', [user.domain_id], signal),
      namesOf('projects', organizations, signal),
    ]);
    this.#domain = domains.get(user.domain_id);
    this.#organization = projects.get(user.default_project_id ?? '') ?? user.default_project_id ?? '';
  }

  #fields(user: User): readonly FormField[] {
    const { people } = words;
    const { default_project_id: id } = user;
    const isKnown = id === this.context.user.default_project_id;
    return [
      { name: 'name', label: people.name, required: true, maxLength: 255, value: user.name },
      { name: 'email', label: people.email, type: 'email', maxLength: 320, value: user.email ?? '' },
      { name: 'given_name', label: people.givenName, maxLength: 100, value: textOf(user.given_name) },
      { name: 'family_name', label: people.familyName, maxLength: 100, value: textOf(user.family_name) },
      {
        name: 'language',
        label: people.language,
        maxLength: 64,
        value: textOf(user.language),
        hint: people.languageHint,
        suggestions: Object.keys(LANGUAGES),
        check: (tag) => (tag === '' || isLanguage(tag) ? undefined : people.noLanguage),
      },
      {
        name: 'zoneinfo',
        label: people.zone,
        type: 'pick',
        find: findZones,
        hint: people.zoneHint,
        chosen: textOf(user.zoneinfo) === '' ? undefined : { value: textOf(user.zoneinfo), label: textOf(user.zoneinfo) },
      },
      { name: 'description', label: people.description, type: 'textarea', value: user.description ?? '' },
      {
        name: 'organization',
        label: people.defaultOrganization,
        type: 'pick',
        find: findOrganizations,
        chosen: id ? { value: id, label: isKnown ? this.#organization : id } : undefined,
      },
    ];
  }

  #form(): Content {
    const { user, etag, path, reload } = this.context;
    return edit<User>({
      version: { thing: user, etag },
      fields: (one) => this.#fields(one),
      read: async () => {
        const { body, etag: now } = await api.read<{ user: User }>(path);
        return { thing: body.user, etag: now };
      },
      save: async (values, ifMatch) => {
        const changed = {
          name: values.text('name'),
          email: values.optional('email') ?? null,
          ...Object.fromEntries(ATTRIBUTES.map((name) => [name, values.optional(name) ?? null])),
          description: values.optional('description') ?? null,
          default_project_id: values.optional('organization') ?? null,
        };
        await api.patch(path, { user: changed }, { ifMatch });
      },
      onDirty: () => frame.setDirty(true),
      onSaved: async () => {
        frame.setDirty(false);
        await reload();
        announce(words.people.saved);
      },
    });
  }

  content(): Content {
    const { people } = words;
    const { user, may } = this.context;
    return html`<div class="cards">
      <section class="card"><h2>${people.profile}</h2>
        ${
          may('identity:update_user')
            ? this.#form()
            : html`<dl class="facts">${this.#fields(user).map(
                ({ label, value, chosen }) => html`<dt>${label}</dt><dd>${chosen?.label ?? (value || '–')}</dd>`,
              )}</dl>`
        }
      </section>
      <section class="card"><h2>${people.account}</h2>
        <dl class="facts">
          <dt>${people.domain}</dt><dd>${thingLink('domains', user.domain_id, this.#domain)}</dd>
          <dt>${people.passwordExpires}</dt><dd>${time(user.password_expires_at, people.never)}</dd>
        </dl>
        <h3>${people.id}</h3>
        ${copyable(user.id)}
      </section>
    </div>`;
  }
}
