// Settings about roles as credentials in the wallets of people.
import { setting } from '../platform/config/index.ts';

export const roleCredentialSettings = {
  statusListSize: setting.number(
    'GATEHOUSE_IDENTITY_STATUS_LIST_SIZE',
    131_072,
    { min: 131_072, max: 1_048_576, unit: 'entries' },
    'How many credentials share one list of their state. The more, the less the address of a list says about the person who shows a credential.',
  ),
  statusListSeconds: setting.number(
    'GATEHOUSE_IDENTITY_STATUS_LIST_SECONDS',
    60,
    { min: 1, max: 86_400, unit: 'seconds' },
    'How long others may keep a list of the state of credentials before they ask again. A list that is asked for says at once what was revoked.',
  ),
} as const;
