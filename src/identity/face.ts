// Keystone's shape of an error, and the headers every answer of the identity service carries.
import { type Face, t } from '../platform/http/index.ts';
import { STATUS_CODES } from '../platform/node-http.ts';

export const keystoneFace: Face = ({ status, message, detail }, base) => ({
  body: { error: { code: status, title: STATUS_CODES[status] ?? 'Error', message, ...detail } },
  ...(status === 401 ? { headers: { 'WWW-Authenticate': `Keystone uri="${base}"` } } : {}),
});

export const KeystoneError = t.object({
  error: t.open({ code: t.integer(), title: t.string(), message: t.string() }),
});

export const REQUEST_ID_HEADER = 'X-Openstack-Request-Id';

export const commonHeaders = {
  Vary: 'X-Auth-Token',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
} as const;
