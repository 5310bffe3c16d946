// Settings for clients of Keystone and of Keyrock’s back-end. Those of Keystone carry its names and defaults.
import { setting } from '../../../platform/config/index.ts';

export const compatibilitySettings = {
  trustedDashboards: setting.list(
    'GATEHOUSE_IDENTITY_TRUSTED_DASHBOARD',
    'Keystone’s trusted_dashboard: the addresses at which dashboards receive the token of somebody who signed in here, such as https://horizon.example.org/auth/websso/.',
  ),
  allEndpointsWithoutFilter: setting.flag(
    'GATEHOUSE_IDENTITY_RETURN_ALL_ENDPOINTS_IF_NO_FILTER',
    true,
    'Whether the catalog of a token has all endpoints if its project is associated with none (OS-EP-FILTER). Off: the catalog is empty.',
  ),
  maxProjectTreeDepth: setting.number(
    'GATEHOUSE_IDENTITY_MAX_PROJECT_TREE_DEPTH',
    5,
    { min: 1, max: 50, unit: 'levels' },
    'Maximum depth of the project tree below a domain.',
  ),
  scimExtension: setting.text(
    'GATEHOUSE_IDENTITY_SCIM_EXTENSION',
    'urn:scim:schemas:extension:idbackend',
    'Name of the extension in answers of /v3/OS-SCIM, without its version.',
  ),
  scimTokenType: setting.text(
    'GATEHOUSE_IDENTITY_SCIM_TOKEN_TYPE',
    'backendtoken',
    'Type of the primary authentication scheme that /v3/OS-SCIM reports.',
  ),
} as const;
