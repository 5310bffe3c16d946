// Every column of this service with sealed secrets. A secret is bound to its table and row.
import type { SealedColumn } from '../../../platform/sealed/index.ts';

const column = (table: string, name: string, { key = 'id', suffix = '' } = {}): SealedColumn => ({
  table,
  key,
  column: name,
  context: (row) => `${table}/${row[key]}${suffix}`,
});

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  column('token_keys', 'sealed'),
  column('consumers', 'secret'),
  column('consumers', 'previous_secret', { suffix: '/previous' }),
  column('two_factor', 'key', { key: 'user_id' }),
  column('credentials', 'blob'),
  column('oauth1_consumers', 'secret'),
  column('oauth1_request_tokens', 'secret'),
  column('oauth1_access_tokens', 'secret'),
  column('openid_records', 'payload'),
  column('openid_keys', 'sealed'),
  column('issuer_keys', 'sealed'),
  column('verifier_keys', 'sealed'),
  column('mails', 'sealed'),
  column('sign_in_tasks', 'sealed'),
  column('sign_in_request_choices', 'code', { key: 'user_id' }),
  column('openid_providers', 'client_secret', { key: 'provider_id' }),
  column('provider_sessions', 'sealed'),
  column('provider_attempts', 'sealed'),
  column('provider_messages', 'sealed'),
  column('provider_keys', 'sealed'),
  column('provider_registrations', 'sealed', { key: 'provider_id' }),
  column('domain_config_secrets', 'sealed'),
  column('service_settings', 'sealed'),
];
