// Settings about who may do what, and about projects and what they use. They carry Keystone's names and defaults.
import { setting } from '../../../platform/config/index.ts';

export const keystoneSettings = {
  enforceScope: setting.flag(
    'GATEHOUSE_IDENTITY_ENFORCE_SCOPE',
    false,
    'Keystone’s enforce_scope: the role admin counts only where it was granted. An administrator of a domain administers that domain only, and somebody must have the role on the system. Off: the role admin on any project or domain applies to everything.',
  ),
  trustedDashboards: setting.list(
    'GATEHOUSE_IDENTITY_TRUSTED_DASHBOARD',
    'Keystone’s trusted_dashboard: the addresses at which dashboards receive the token of somebody who signed in here, such as https://horizon.example.org/auth/websso/.',
  ),
  allEndpointsWithoutFilter: setting.flag(
    'GATEHOUSE_IDENTITY_RETURN_ALL_ENDPOINTS_IF_NO_FILTER',
    true,
    'Whether the catalog of a token has all endpoints if its project is associated with none (OS-EP-FILTER). Off: the catalog is empty.',
  ),
  limitModel: setting.choice(
    'GATEHOUSE_IDENTITY_LIMIT_MODEL',
    'flat',
    ['flat', 'strict_two_level'],
    'Keystone’s enforcement model of limits: flat, or strict_two_level, where no project may have more than its domain, and projects have no projects below them.',
  ),
  maxProjectTreeDepth: setting.number(
    'GATEHOUSE_IDENTITY_MAX_PROJECT_TREE_DEPTH',
    5,
    { min: 1, max: 50, unit: 'levels' },
    'Maximum depth of the project tree below a domain.',
  ),
} as const;
