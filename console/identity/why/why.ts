// "May this person do X in Y?": the paths of grants that lead to yes, or what is missing for no.
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { define } from '../../shared/element.ts';
import { type FormField, form } from '../../shared/form.ts';
import type { Choice } from '../../shared/pick.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { goQuery } from '../frame.ts';
import {
  findApplicationRoles,
  findApplications,
  findDomains,
  findOrganizations,
  findPeople,
  findRoles,
  namesOf,
} from '../resources.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { type Explanation, type Missing, missingText, nameOf, scopeText, stepText } from './explanation.ts';

const PLACES = ['application', 'project', 'domain', 'system'] as const;
type Place = (typeof PLACES)[number];
const MORE = ['user_id', 'place', 'place_id', 'role_id', 'permission_id'] as const;

interface Permission {
  readonly id: string;
  readonly name: string;
}

async function findPermissions(applicationId: string | undefined, text: string, signal: AbortSignal) {
  if (!applicationId) return [];
  const query = { application_id: applicationId, limit: 1000 };
  const { permissions } = await api.get<{ permissions: readonly Permission[] }>('/v3/OS-ROLES/permissions', { query, signal });
  return permissions
    .filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
    .map(({ id, name }) => ({ value: id, label: name }));
}

class Why extends Screen {
  #explanation: Explanation | undefined;
  /** Somebody asked: the answer is brought into view when it is there. */
  #showsAnswer = false;
  #userName: string | undefined;
  #roleName: string | undefined;
  #permissionName: string | undefined;

  heading(): string {
    return words.why.title;
  }

  #asked(name: (typeof MORE)[number]): string | undefined {
    return this.location.query.get(name) ?? undefined;
  }

  get #place(): Place {
    const place = this.#asked('place');
    return PLACES.find((one) => one === place) ?? 'application';
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#explanation = undefined;
    const user = this.#asked('user_id');
    this.#userName = user && (await namesOf('users', [user], signal)).get(user);
    const [place, id, role, permission] = [
      this.#place,
      this.#asked('place_id'),
      this.#asked('role_id'),
      this.#asked('permission_id'),
    ];
    if (!user || (place !== 'system' && !id)) return;
    const nameIn = async (wanted: string | undefined, find: () => Promise<readonly Choice[]>): Promise<string | undefined> =>
      wanted && (await find()).find(({ value }) => value === wanted)?.label;
    const path =
      place === 'application'
        ? `/v3/OS-ROLES/users/${part(user)}/applications/${part(id!)}/explanation`
        : `/v3/users/${part(user)}/OS-ACCESS/explanation`;
    const where =
      place === 'application' ? { permission_id: permission } : place === 'system' ? { system: 'all' } : { [`${place}_id`]: id };
    const [{ explanation }, roleName, permissionName] = await Promise.all([
      api.get<{ explanation: Explanation }>(path, { query: { ...where, role_id: role }, signal }),
      nameIn(role, () => (place === 'application' ? findApplicationRoles(id, '', signal) : findRoles('', signal))),
      nameIn(permission, () => findPermissions(id, '', signal)),
    ]);
    this.#explanation = explanation;
    [this.#roleName, this.#permissionName] = [roleName, permissionName];
  }

  protected override updated(changes: PropertyValues): void {
    super.updated(changes);
    const answer = this.querySelector('.answer');
    if (!this.#showsAnswer || !answer) return;
    this.#showsAnswer = false;
    answer.scrollIntoView({ block: 'nearest' });
  }

  #question(): TemplateResult {
    const { why } = words;
    const place = this.#place;
    const [user, id] = [this.#asked('user_id'), this.#asked('place_id')];
    const find = { application: findApplications, project: findOrganizations, domain: findDomains, system: findDomains }[place];
    const scope = this.#explanation?.scope;
    const placeName = scope?.application?.name ?? scope?.project?.name ?? scope?.domain?.name ?? id;
    const fields: FormField[] = [
      {
        name: 'user_id',
        label: why.person,
        type: 'pick',
        required: true,
        find: findPeople,
        ...(user ? { chosen: { value: user, label: this.#userName ?? user } } : {}),
      },
      {
        name: 'place',
        label: why.where,
        type: 'select',
        required: true,
        value: place,
        options: PLACES.map((value) => ({ value, label: why.places[value] })),
        onChange: (value) =>
          void goQuery({ place: value, place_id: undefined, role_id: undefined, permission_id: undefined }, { replace: true }),
      },
      ...(place === 'system'
        ? []
        : [
            {
              name: 'place_id',
              label: why.places[place],
              type: 'pick' as const,
              required: true,
              find,
              ...(id ? { chosen: { value: id, label: placeName ?? id } } : {}),
              onChange: (value: string) => void goQuery({ place_id: value }, { replace: true }),
            },
          ]),
      {
        name: 'role_id',
        label: why.role,
        type: 'pick',
        hint: why.roleHint,
        find: (text, signal) =>
          place === 'application' ? findApplicationRoles(this.#asked('place_id'), text, signal) : findRoles(text, signal),
        ...this.#chosenRole(),
      },
      ...(place === 'application'
        ? [
            {
              name: 'permission_id',
              label: why.permission,
              type: 'pick' as const,
              hint: why.permissionHint,
              find: (text: string, signal: AbortSignal) => findPermissions(this.#asked('place_id'), text, signal),
              ...this.#chosenPermission(),
            },
          ]
        : []),
    ];
    return html`<section class="card">${form({
      fields,
      submitLabel: why.ask,
      submit: async (values) => {
        await goQuery(Object.fromEntries(MORE.map((name) => [name, values.optional(name)])));
        this.#showsAnswer = true;
      },
    })}</section>`;
  }

  #chosenRole(): Pick<FormField, 'chosen'> {
    const id = this.#asked('role_id');
    return id ? { chosen: { value: id, label: this.#roleName ?? id } } : {};
  }

  #chosenPermission(): Pick<FormField, 'chosen'> {
    const id = this.#asked('permission_id');
    return id ? { chosen: { value: id, label: this.#permissionName ?? id } } : {};
  }

  /** Where what is missing can be mended. */
  #mend({ kind }: Missing, { user, scope: { application } }: Explanation): Content {
    const { why } = words;
    const link = (path: string, text: string, tab?: string): TemplateResult => html`<a href=${hrefOf(path, { tab })}>${text}</a>`;
    if (kind === 'user_disabled' || kind === 'user_inactive')
      return session.may('identity:list_users') ? link(`/people/${part(user.id)}`, why.openAccount(nameOf(user))) : nothing;
    if (!application) return nothing;
    const [path, name] = [`/applications/${part(application.id)}`, application.name ?? application.id];
    if (kind === 'no_role' || kind === 'role_not_held') return link(path, why.openHolders(name), 'people');
    return kind === 'permission_not_in_roles' || kind === 'roles_with_permission'
      ? link(path, why.openMatrix(name), 'roles')
      : nothing;
  }

  #answer(explanation: Explanation): TemplateResult {
    const { why } = words;
    const { allowed, user, paths, missing, more_paths: more, sign_in_needs: needs = [] } = explanation;
    const where = scopeText(explanation.scope);
    return html`<section class="card answer" aria-live="polite">
      <h2><span class="badge ${allowed ? 'good' : 'bad'}">${allowed ? why.yes : why.no}</span> ${allowed ? why.yesText(nameOf(user), where) : why.noText(nameOf(user), where)}</h2>
      ${paths.map(
        ({ role, steps }) => html`<h3>${why.pathTo(role.name ?? role.id)}</h3>
        <ol>${steps.map((step) => html`<li>${stepText(step)}</li>`)}</ol>`,
      )}
      ${more ? html`<p class="soft">${why.more}</p>` : nothing}
      ${missing.length > 0 ? html`<h3>${why.missingTitle}</h3><ul>${missing.map((one) => html`<li>${missingText(one)} ${this.#mend(one, explanation)}</li>`)}</ul>` : nothing}
      ${needs.length > 0 ? html`<p class="warn">${why.needs(needs.map((one) => why.needed[one]).join(', '))}</p>` : nothing}
      ${session.may('identity:list_users') ? html`<p><a href=${hrefOf(`/people/${part(user.id)}`, { tab: 'roles' })}>${why.openPerson(nameOf(user))}</a></p>` : nothing}
    </section>`;
  }

  protected content(): Content {
    return html`<p>${words.why.intro}</p>${this.#question()}
      ${this.#explanation ? this.#answer(this.#explanation) : nothing}`;
  }
}

define('gh-why', Why);
