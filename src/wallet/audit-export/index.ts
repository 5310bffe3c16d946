// Audit events leave the wallet node, with names of the same form as those of the identity service.

import type { AuditEventRow } from '../../platform/audit/index.ts';
import { type CadfMessage, cadfMessage, operationOf } from '../../platform/audit-export/index.ts';

const TARGET_TYPES: Readonly<Record<string, string>> = {
  key: 'data/security/key',
  did: 'data/security/identity',
  credential: 'data/security/credential',
  exchange: 'data/message',
  session: 'data/security/account/user',
  login: 'data/security/account/user',
  logout: 'data/security/account/user',
};

export function walletCadf(row: AuditEventRow): CadfMessage {
  const [subject = row.target_kind, verb = ''] = row.action.split('.');
  const isLogin = row.action === 'session.begun';
  const operation = operationOf(verb);
  return cadfMessage('wallet', row, {
    action: isLogin ? 'authenticate' : `${operation}.${subject}`,
    eventType: isLogin ? 'wallet.authenticate' : `wallet.${subject}.${operation}`,
    targetType: TARGET_TYPES[row.target_kind] ?? 'data/security',
  });
}
