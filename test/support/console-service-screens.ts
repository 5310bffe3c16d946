// The screens of the service in the console and of provisioning, with their acts.
import { words } from '../../console/identity/words/en/index.ts';
import { texts } from '../../console/shared/words/en.ts';
import type { Act, ConsoleScreen, ConsoleWorld } from './console-acts.ts';
import { LOGO } from './pictures.ts';

/** Whatever the names are. */
const any = (text: (...names: string[]) => string): RegExp => new RegExp(`^${text('.+', '.+')}$`);

const { provisioning, service, settings, look, signInPreview } = words;

const PARTS = ['identity:list_service_settings', 'identity:list_services'];

export function serviceScreens({ connection, nouns: { service: one, endpoint }, customRole }: ConsoleWorld): ConsoleScreen[] {
  const part = (name: string, rule: string, acts: readonly Act[] = []): ConsoleScreen => ({
    route: name === '' ? '/service' : '/service/:part',
    path: `/service${name === '' ? '' : `/${name}`}`,
    // Without a name it is the first part that the person may see.
    opens: name === '' ? PARTS : [rule],
    acts,
  });
  const changeSettings: Act = { name: any(settings.changeOf), rule: 'identity:update_service_settings' };
  const previewSignIn: Act = { name: signInPreview.choose, rule: 'identity:preview_sign_in' };
  const add = (row: string, rule: string): Act => ({ name: service.add, row, rule });
  return [
    {
      route: '/provisioning',
      path: '/provisioning',
      opens: ['identity:manage_scim_connections'],
      acts: [
        { name: provisioning.create, rule: 'identity:manage_scim_connections' },
        {
          name: provisioning.removeTitle(connection.name),
          rule: 'identity:manage_scim_connections',
          request: ['DELETE', `/v3/OS-SCIM/connections/${connection.id}`],
        },
      ],
    },
    ...['', '?tab=all'].map((tab) => ({
      route: '/provisioning/:id',
      path: `/provisioning/${connection.id}${tab}`,
      opens: ['identity:manage_scim_connections'],
      acts: [{ name: texts.remove, rule: 'identity:manage_scim_connections' }],
    })),
    part('', 'identity:list_service_settings', [changeSettings]),
    part('settings', 'identity:list_service_settings', [changeSettings, previewSignIn]),
    {
      ...part('settings', 'identity:list_service_settings', [
        {
          name: texts.save,
          rule: 'identity:update_service_settings',
          request: ['PATCH', '/v3/OS-SERVICE/settings', { settings: { GATEHOUSE_IDENTITY_DEVICE_DAYS: '30' } }],
        },
        previewSignIn,
      ]),
      path: '/service/settings?group=factors',
    },
    {
      ...part('settings', 'identity:list_service_settings', [
        { name: texts.save, rule: 'identity:update_service_settings' },
        {
          name: settings.testMail,
          rule: 'identity:send_test_mail',
          request: ['POST', '/v3/OS-SERVICE/mail/test', { mail: { to: 'ada@example.org' } }],
        },
      ]),
      path: '/service/settings?group=mail',
    },
    part('sign-in', 'identity:list_service_settings', [changeSettings, previewSignIn]),
    {
      ...part('sign-in', 'identity:list_service_settings', [
        { name: texts.save, rule: 'identity:update_service_settings' },
        previewSignIn,
      ]),
      path: '/service/sign-in?group=lock_out',
    },
    part('look', 'identity:list_service_settings', [
      {
        name: texts.save,
        rule: 'identity:update_service_settings',
        request: ['POST', '/v3/OS-SERVICE/look/preview', { look: { name: 'Harbour', color: null } }],
      },
      {
        name: look.pictures.logo.save,
        rule: 'identity:update_service_settings',
        request: ['PUT', '/v3/OS-SERVICE/look/logo', { picture: LOGO.logo }],
      },
      {
        name: look.pictures.favicon.save,
        rule: 'identity:update_service_settings',
        request: ['PUT', '/v3/OS-SERVICE/look/favicon', { picture: LOGO.logo }],
      },
    ]),
    part('registration', 'identity:list_service_settings', [{ name: texts.save, rule: 'identity:update_service_settings' }]),
    part('mail', 'identity:list_service_settings', [
      { name: texts.save, rule: 'identity:update_service_settings' },
      { name: settings.testMail, rule: 'identity:send_test_mail' },
    ]),
    {
      ...part('mail', 'identity:list_service_settings', [
        {
          name: texts.save,
          rule: 'identity:update_service_settings',
          request: ['PUT', '/v3/OS-SERVICE/mail/texts/en/invitation', { mail_text: { subject: 'Come', body: '{{link}}' } }],
        },
      ]),
      path: '/service/mail?text=en/invitation',
    },
    part('keys', 'identity:list_service_keys', [
      {
        name: service.rotate,
        rule: 'identity:rotate_service_keys',
        ids: { kind: 'token' },
        request: ['POST', '/v3/OS-SERVICE/keys/token/rotate'],
      },
    ]),
    part('deliveries', 'identity:list_deliveries'),
    part('replicas', 'identity:list_replicas'),
    part('backups', 'identity:list_backups', [
      { name: service.backups.makeNow, rule: 'identity:create_backup', request: ['POST', '/v3/OS-SERVICE/backups'] },
    ]),
    part('catalog', 'identity:list_services', [
      add(service.regions, 'identity:create_region'),
      add(service.services, 'identity:create_service'),
      add(service.endpoints, 'identity:create_endpoint'),
      {
        name: any(service.removeFrom),
        row: 'RegionOne',
        rule: 'identity:delete_region',
        ids: { region_id: 'RegionOne' },
        request: ['DELETE', '/v3/regions/RegionOne'],
      },
      {
        name: any(service.removeFrom),
        rule: 'identity:delete_service',
        ids: { service_id: one.id },
        request: ['DELETE', `/v3/services/${one.id}`],
      },
      {
        name: any(service.removeFrom),
        row: 'http',
        rule: 'identity:delete_endpoint',
        ids: { endpoint_id: endpoint.id },
        request: ['DELETE', `/v3/endpoints/${endpoint.id}`],
      },
    ]),
    part('roles', 'identity:list_role_inference_rules', [
      { name: service.newRole, rule: 'identity:create_role', request: ['POST', '/v3/roles', { role: { name: 'x' } }] },
      {
        name: any(service.removeRole),
        rule: 'identity:delete_role',
        ids: { role_id: customRole.id },
        request: ['DELETE', `/v3/roles/${customRole.id}`],
      },
      { name: any(service.includeTitle), rule: 'identity:create_implied_role', ids: { role_id: customRole.id } },
      {
        name: any(service.excludeTitle),
        rule: 'identity:delete_implied_role',
        ids: { role_id: customRole.id },
      },
    ]),
  ];
}
