// The service itself: settings, keys, messages, replicas, back-ups, catalog and base roles.
import { html, nothing } from 'lit';
import { define } from '../../shared/element.ts';
import { hrefOf, type Location } from '../../shared/router.ts';
import { type Content, Screen } from '../../shared/screen.ts';
import { currentTab, tabBar } from '../../shared/tabs.ts';
import { session } from '../session.ts';
import { words } from '../words/index.ts';
import { Backups } from './backups.ts';
import { Catalog } from './catalog.ts';
import { Deliveries } from './deliveries.ts';
import { Keys } from './keys.ts';
import { Look } from './look.ts';
import { Mail } from './mail.ts';
import type { ServicePart } from './part.ts';
import { Registration } from './registration.ts';
import { Replicas } from './replicas.ts';
import { Roles } from './roles.ts';
import { Settings, SignIn } from './settings.ts';

type Part = new (location: Location, reload: () => Promise<void>, update: () => void) => ServicePart;
/** `guide`: the page about it, with the place on that page. */
const PARTS: readonly (readonly [id: keyof typeof words.service.tabs, rule: string, part: Part, guide: string])[] = [
  ['settings', 'identity:list_service_settings', Settings, 'service#settings'],
  ['sign-in', 'identity:list_service_settings', SignIn, 'service#sign-in'],
  ['look', 'identity:list_service_settings', Look, 'service#look'],
  ['mail', 'identity:list_service_settings', Mail, 'mail'],
  ['registration', 'identity:list_service_settings', Registration, 'registration'],
  ['keys', 'identity:list_service_keys', Keys, 'service#keys'],
  ['deliveries', 'identity:list_deliveries', Deliveries, 'service#deliveries'],
  ['replicas', 'identity:list_replicas', Replicas, 'service#replicas'],
  ['backups', 'identity:list_backups', Backups, 'service#backups'],
  ['catalog', 'identity:list_services', Catalog, 'keystone'],
  ['roles', 'identity:list_role_inference_rules', Roles, 'keystone'],
];

class Service extends Screen {
  #part: ServicePart | undefined;

  heading(): string {
    return words.service.title;
  }

  get #tabs() {
    return PARTS.filter(([, rule]) => session.may(rule)).map(([id, , , guide]) => ({
      guide,
      id,
      label: words.service.tabs[id],
      href: hrefOf(`/service/${id}`),
      content: (): Content => this.#part?.content() ?? nothing,
    }));
  }

  protected override guidePage(): string {
    return currentTab(this.#tabs, this.location.params.part ?? null)?.guide ?? this.guide;
  }

  protected override async load(signal: AbortSignal): Promise<void> {
    const id = currentTab(this.#tabs, this.location.params.part ?? null)?.id;
    const [, , Part] = PARTS.find(([one]) => one === id) ?? [];
    const part =
      Part &&
      new Part(
        this.location,
        () => this.reload(),
        () => this.requestUpdate(),
      );
    await part?.load(signal);
    this.#part = part;
  }

  protected content(): Content {
    const tabs = this.#tabs;
    const current = currentTab(tabs, this.location.params.part ?? null);
    return html`${tabBar(words.service.title, tabs, current)}${current?.content() ?? nothing}`;
  }
}

define('gh-service', Service);
