// The screens of the console, their addresses, and the rule that opens each of them in the menu.
import type { ScreenEntry } from '../shared/frame.ts';
import type { Icon } from '../shared/icons.ts';
import type { Route } from '../shared/router.ts';
import { words } from './words/index.ts';

/** `guide`: the page of docs/guide about it. */
const screen = (path: string, element: string, load: () => Promise<unknown>, guide: string): Route<ScreenEntry> => ({
  path,
  screen: { element, load, guide },
});

export const routes: readonly Route<ScreenEntry>[] = [
  screen('/', 'gh-overview', () => import('./overview/overview.ts'), 'console'),
  screen('/people', 'gh-people', () => import('./people/people.ts'), 'administration'),
  screen('/people/invitations', 'gh-invitations', () => import('./people/invitations.ts'), 'invitations'),
  screen('/people/waiting', 'gh-waiting', () => import('./people/waiting.ts'), 'registration'),
  screen('/people/deletions', 'gh-deletions', () => import('./people/deletions.ts'), 'account-data'),
  screen('/people/import', 'gh-people-import', () => import('./people/import.ts'), 'administration'),
  screen('/people/:id', 'gh-person', () => import('./people/person.ts'), 'administration'),
  screen('/groups', 'gh-groups', () => import('./groups/groups.ts'), 'administration'),
  screen('/groups/:id', 'gh-group', () => import('./groups/group.ts'), 'administration'),
  screen('/organizations', 'gh-organizations', () => import('./organizations/organizations.ts'), 'administration'),
  screen('/organizations/:id', 'gh-organization', () => import('./organizations/organization.ts'), 'administration'),
  screen('/domains', 'gh-domains', () => import('./domains/domains.ts'), 'administration'),
  screen('/domains/:id', 'gh-domain', () => import('./domains/domain.ts'), 'administration'),
  screen('/applications', 'gh-applications', () => import('./applications/applications.ts'), 'applications'),
  screen('/applications/new', 'gh-new-application', () => import('./applications/new-application.ts'), 'first-application'),
  screen(
    '/applications/registered',
    'gh-registered-applications',
    () => import('./applications/registered.ts'),
    'self-registration',
  ),
  screen('/applications/:id', 'gh-application', () => import('./applications/application.ts'), 'applications'),
  screen('/apis', 'gh-apis', () => import('./apis/apis.ts'), 'secure-an-api'),
  screen('/apis/:id', 'gh-api', () => import('./apis/api.ts'), 'secure-an-api'),
  screen('/try/:id', 'gh-try-return', () => import('./applications/try-return.ts'), 'applications'),
  screen('/credentials', 'gh-credentials', () => import('./credentials/credentials.ts'), 'role-credentials'),
  screen('/providers', 'gh-providers', () => import('./providers/providers.ts'), 'providers'),
  screen('/new-provider', 'gh-new-provider', () => import('./providers/new-provider.ts'), 'providers'),
  screen('/providers/:id', 'gh-provider', () => import('./providers/provider.ts'), 'providers'),
  screen('/tried-provider', 'gh-tried-provider', () => import('./providers/tried-provider.ts'), 'providers'),
  screen('/provisioning', 'gh-provisioning', () => import('./provisioning/provisioning.ts'), 'scim-entra'),
  screen('/provisioning/:id', 'gh-connection', () => import('./provisioning/connection.ts'), 'scim-entra'),
  screen('/service', 'gh-service', () => import('./service/service.ts'), 'service'),
  screen('/service/:part', 'gh-service', () => import('./service/service.ts'), 'service'),
  screen('/why', 'gh-why', () => import('./why/why.ts'), 'console'),
  screen('/audit', 'gh-audit', () => import('./audit/audit.ts'), 'audit'),
];

export interface MenuEntry {
  readonly path: string;
  readonly icon?: Icon;
  readonly label: () => string;
  /** Shown when the person passes one of these rules; to everybody when there are none. */
  readonly rules?: readonly string[];
}

export const menu: readonly MenuEntry[] = [
  { path: '/', icon: 'overview', label: () => words.overview.title },
  { path: '/people', icon: 'person', label: () => words.people.title, rules: ['identity:list_users'] },
  { path: '/groups', icon: 'group', label: () => words.organizations.groups, rules: ['identity:list_groups'] },
  { path: '/organizations', icon: 'building', label: () => words.organizations.title, rules: ['identity:list_projects'] },
  { path: '/domains', icon: 'globe', label: () => words.organizations.domains, rules: ['identity:list_domains'] },
  { path: '/applications', icon: 'application', label: () => words.applications.title, rules: ['list_consumers'] },
  { path: '/apis', icon: 'brackets', label: () => words.apis.title, rules: ['identity:list_apis'] },
  { path: '/credentials', icon: 'card', label: () => words.credentials.title, rules: ['list_issued_credentials'] },
  {
    path: '/why',
    icon: 'question',
    label: () => words.why.title,
    rules: ['identity:list_role_assignments', 'list_user_assignments'],
  },
  { path: '/providers', icon: 'enter', label: () => words.providers.title, rules: ['identity:list_identity_providers'] },
  { path: '/provisioning', icon: 'exchange', label: () => words.provisioning.title, rules: ['identity:manage_scim_connections'] },
  { path: '/audit', icon: 'list', label: () => words.audit.title, rules: ['identity:list_audit_events'] },
  {
    path: '/service',
    icon: 'sliders',
    label: () => words.service.title,
    rules: ['identity:list_service_settings', 'identity:list_services'],
  },
];
