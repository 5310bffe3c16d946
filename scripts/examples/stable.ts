// Makes recorded examples alike in every run: addresses, ids, times and secrets are replaced by ones that follow from the operation that showed
// them first. So those of one operation do not change when another is added.
import { createHash } from 'node:crypto';

const SECRET_FIELDS =
  'secret|signature|client_secret|registration_access_token|access_token|refresh_token|id_token|device_token|device_code|activation_key|token|blob|request_uri|two_factor_key|uri';
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** `text`: the example of an operation, as JSON. Those of all operations are given in the order in which they were called. */
export function stabilizer(addresses: Readonly<Record<string, string>>): (operation: string, text: string) => string {
  const known = new Map<string, string>();
  const hex = (hash: Buffer, length: number): string => hash.toString('hex').slice(0, length);
  const base64 = (hash: Buffer, length: number): string =>
    Buffer.concat([hash, hash, hash]).toString('base64url').slice(0, length);
  const ulid = (hash: Buffer): string =>
    `01KA${[...hash]
      .slice(0, 22)
      .map((byte) => CROCKFORD[byte % 32])
      .join('')}`;

  return (operation, text) => {
    let shown = 0;
    const hashOf = (): Buffer => createHash('sha256').update(`${operation} ${shown++}`).digest();
    const replaced = (value: string, make: (hash: Buffer) => string): string => {
      const stable = known.get(value) ?? make(hashOf());
      known.set(value, stable);
      return stable;
    };
    let result = text;
    for (const [address, stable] of Object.entries(addresses)) result = result.replaceAll(address, stable);
    const encoded = Object.entries(addresses).map(([address, stable]) => [
      encodeURIComponent(address),
      encodeURIComponent(stable),
    ]);
    for (const [address, stable] of encoded) result = result.replaceAll(address!, stable!);
    return result
      .replace(/eyJ[\w-]+\.[\w-]+\.[\w.~-]*/g, 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxZjQyIn0.AAAA')
      .replace(new RegExp(`"(${SECRET_FIELDS})":"([\\w.~+/=-]{12,})"`, 'g'), (_, field: string, value: string) => {
        if (/^[0-9a-f]{32}$/.test(value)) return `"${field}":"${replaced(value, (hash) => hex(hash, 32))}"`;
        return `"${field}":"${replaced(value, (hash) => base64(hash, Math.min(value.length, 43)))}"`;
      })
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, (value) =>
        replaced(value, (hash) => hex(hash, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')),
      )
      .replace(/(?<=\b|%3A)(?:[0-9a-f]{64}|[0-9a-f]{32})\b/g, (value) => replaced(value, (hash) => hex(hash, value.length)))
      .replace(/\b(key|did|cred|ex)_[0-9A-Z]{26}\b/g, (value, kind: string) => replaced(value, (hash) => `${kind}_${ulid(hash)}`))
      .replace(/(?<=["/=])[A-Za-z0-9_-]{43}(?=["&])/g, (value) => replaced(value, (hash) => base64(hash, 43)))
      .replace(/(?<=")[A-Za-z0-9_-]{22}(?=")/g, (value) =>
        /\d/.test(value) ? replaced(value, (hash) => base64(hash, 22)) : value,
      )
      .replace(/\b[A-Z2-7]{32}\b/g, 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
      .replace(
        /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g,
        (_, part?: string) => `2026-11-17T09:00:00${(part ?? '').replace(/\d/g, '0')}Z`,
      )
      .replace(/\b2026-\d\d-\d\d \d\d:\d\d:\d\d/g, '2026-11-17 09:00:00')
      .replace(/"(exp|iat|nbf|auth_time)":\d{10}/g, '"$1":1794906000')
      .replace(/"(latency_ms|latencyMs|milliseconds|duration_ms)":\d+/g, '"$1":1')
      .replaceAll('http://127.0.0.1:0', 'http://127.0.0.1:5000')
      .replace(/("(?:expires_at|expiresAt|validUntil|due_at|verifyUntil)":"2026-11-17T)09/g, '$110');
  };
}
