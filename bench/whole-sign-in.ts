// `node bin/run.js bench/whole-sign-in.ts [COUNT]`: what somebody costs who signs in to an application as in a browser, from the application's request
// to the tokens and user information that it gets. For the calculation in docs/guide/scaling.md.
import { Client } from 'pg';
import { startGatehouse } from './gatehouse.ts';
import { onPostgres } from './on-postgres.ts';
import { prepareOpenid } from './openid.ts';
import { cpuSeconds } from './processes.ts';
import { CALLBACK, SignIn } from './sign-in.ts';

const count = Number(process.argv[2] ?? 200);
const server = await onPostgres(1000);
const service = await startGatehouse(server.data);
const { endpoints, application, people } = await prepareOpenid(service.url);
const basic = Buffer.from(`${application.id}:${application.secret}`).toString('base64');

async function signIn(n: number): Promise<void> {
  const request = new URLSearchParams({
    client_id: application.id,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid profile',
  });
  const answer = await new SignIn(people[n % people.length]!).authorize(`${endpoints.authorization}?${request}`);
  const body = new URLSearchParams({ grant_type: 'authorization_code', code: answer.get('code')!, redirect_uri: CALLBACK });
  const headers = { Authorization: `Basic ${basic}` };
  const tokens = (await (await fetch(endpoints.token, { method: 'POST', headers, body })).json()) as { access_token: string };
  const user = await fetch(endpoints.userinfo, { headers: { Authorization: `Bearer ${tokens.access_token}` } });
  if (!user.ok) throw new Error(`user information: ${user.status}`);
}

const db = new Client({ connectionString: server.data.settings!.GATEHOUSE_IDENTITY_DATABASE_URL });
await db.connect();
const one = async (sql: string): Promise<number> =>
  Number((await db.query<{ value: string }>(`select ${sql} as value`)).rows[0]!.value);
const measure = async () => ({
  /** Only what writes has a number. */
  transactions: await one('pg_current_xact_id()::text'),
  wal: await one(`pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')`),
  size: await one('pg_database_size(current_database())'),
  service: cpuSeconds(service.pid) * 1e6,
  postgres: cpuSeconds(server.pid) * 1e6,
});

for (let n = 0; n < 20; n++) await signIn(n);
const before = await measure();
for (let n = 0; n < count; n++) await signIn(n);
const after = await measure();
const each = (name: keyof typeof before): string =>
  ((after[name] - before[name]) / count).toFixed(name === 'transactions' ? 1 : 0);
console.log(
  `${count} sign-ins, each: CPU us of the service ${each('service')}, of PostgreSQL ${each('postgres')}; transactions that write ${each('transactions')}; bytes of log ${each('wal')}, of the database ${each('size')}`,
);
await db.end();
await service.stop();
await server.stop();
process.exit(0);
