// The first screen: how much there is, logins of the last day, and what needs attention.
import { html, nothing, type TemplateResult } from 'lit';
import { define } from '../../shared/element.ts';
import { hrefOf, part } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { settings } from '../../shared/settings.ts';
import { numberText } from '../../shared/time.ts';
import { api, session } from '../session.ts';
import { words } from '../words/index.ts';
import { chart, type HourCount } from './chart.ts';

interface Attention {
  readonly kind: string;
  readonly severity: 'critical' | 'warning' | 'info';
  readonly target: { readonly type: string; readonly id: string; readonly name?: string } | null;
  readonly text: string;
  readonly count?: number;
}

interface Summary {
  readonly version: string;
  readonly health: { readonly status: 'ok' | 'unavailable'; readonly database: { readonly latency_ms: number } };
  readonly counts: Readonly<Record<string, { readonly count: number; readonly is_exact: boolean }>>;
  readonly attention: readonly Attention[];
}

const SCREENS: Readonly<Record<string, string>> = {
  users: '/people',
  groups: '/groups',
  projects: '/organizations',
  domains: '/domains',
  applications: '/applications',
};
const TARGETS: Readonly<Record<string, string>> = { user: '/people/', domain: '/domains/' };
const BADGES = { critical: 'bad', warning: 'warn', info: '' } as const;

/** Where somebody goes to mend it, if they may. */
function mendPath({ kind, target }: Attention): string | undefined {
  if (kind.startsWith('scim_connection') && target)
    return session.may('identity:manage_scim_connections') ? `/provisioning/${part(target.id)}` : undefined;
  if (target?.type === 'certificate') return session.may('identity:list_service_keys') ? '/service/keys' : undefined;
  if (kind === 'delivery_failed') return session.may('identity:list_deliveries') ? '/service/deliveries' : undefined;
  if (kind === 'registrations_wait') return session.may('identity:list_waiting_registrations') ? '/people/waiting' : undefined;
  if (kind.includes('backup')) return session.may('identity:list_backups') ? '/service/backups' : undefined;
  if (kind === 'directory_away' && target) return `/domains/${part(target.id)}?tab=directory`;
  if (kind === 'replica_silent') return session.may('identity:list_replicas') ? '/service/replicas' : undefined;
  if (kind === 'administrator_without_factor' && target) return `/people/${part(target.id)}`;
  const path = target && TARGETS[target.type];
  return path ? path + part(target.id) : undefined;
}

class Overview extends Screen {
  #summary: Summary | undefined;
  #hours: readonly HourCount[] = [];

  heading(): string {
    return words.overview.title;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    this.#summary = undefined;
    this.#hours = [];
    if (!session.may('identity:get_service_overview')) return;
    const [{ overview }, counts] = await Promise.all([
      api.get<{ overview: Summary }>('/v3/OS-SERVICE/overview', { signal }),
      session.may('identity:count_audit_events')
        ? api.get<{ counts: HourCount[] }>('/v3/OS-AUDIT/counts', { query: { interval: 'hour' }, signal })
        : undefined,
    ]);
    this.#summary = overview;
    this.#hours = counts?.counts ?? [];
  }

  #counts({ counts }: Summary): TemplateResult {
    const { overview } = words;
    const shown = Object.entries(SCREENS)
      .filter(([name]) => name !== 'domains' || session.may('identity:list_domains'))
      .flatMap(([name, path]) => (counts[name] ? [{ name, path, ...counts[name] }] : []));
    return html`<ul class="figures">${shown.map(
      ({ name, path, count, is_exact: isExact }) => html`<li class="card"><a href=${hrefOf(path)}>
        <strong>${isExact ? '' : overview.moreThan}${numberText(count)}</strong>
        <span>${overview.counts[name as keyof typeof overview.counts](count)}</span></a></li>`,
    )}</ul>`;
  }

  #attention({ attention }: Summary): TemplateResult {
    const { overview } = words;
    const item = (one: Attention): TemplateResult => {
      const path = mendPath(one);
      const kinds = overview.attention as Readonly<Record<string, ((name: string, count: number) => string) | undefined>>;
      const text = kinds[one.kind]?.(one.target?.name ?? one.target?.id ?? '', one.count ?? 0) ?? one.text;
      return html`<li class="between"><span><span class="badge ${BADGES[one.severity]}">${overview.severities[one.severity]}</span> ${text}</span>
        ${path ? html`<a href=${hrefOf(path)}>${overview.look}</a>` : nothing}</li>`;
    };
    return html`<section class="card"><h2>${overview.attentionTitle}</h2>
      ${attention.length === 0 ? html`<p>${overview.nothing}</p>` : html`<ul class="plain-list">${attention.map(item)}</ul>`}</section>`;
  }

  protected content(): Content {
    const { overview } = words;
    const summary = this.#summary;
    if (!summary) return html`<p>${overview.welcome(session.person.display_name)}</p><p>${overview.useMenu}</p>`;
    const { health, version } = summary;
    return html`${this.#counts(summary)}
      ${this.#hours.length > 0 ? html`<section class="card"><h2>${overview.logins}</h2>${chart(this.#hours)}</section>` : nothing}
      ${this.#attention(summary)}
      <section class="card"><h2>${overview.serviceTitle}</h2>
        <dl class="facts">
          <dt>${overview.version}</dt><dd>${version ?? settings.version}</dd>
          <dt>${overview.health}</dt><dd><span class="badge ${health.status === 'ok' ? 'good' : 'bad'}">${overview.healths[health.status]}</span> ${overview.latency(health.database.latency_ms)}</dd>
        </dl></section>`;
  }
}

define('gh-overview', Overview);
