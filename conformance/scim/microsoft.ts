// Runs Microsoft's Postman collection for SCIM against a fresh service, and writes RESULTS.md. The collection is an argument.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stop } from '../support/debian.ts';
import { options } from '../support/options.ts';
import { type RunningService, startService } from '../support/service.ts';
import { type Collection, countChecks, type Execution, type Failure, prepare, resultPage, tally } from './collection.ts';
import { connect } from './connection.ts';

const NEWMAN = 'newman@6.2.2';
const RESULTS = fileURLToPath(new URL('./RESULTS.md', import.meta.url));

/** Replaces the token service of Microsoft's reference server. */
async function serveToken(token: string) {
  const server = createServer((_, reply) => {
    reply.setHeader('Content-Type', 'application/json');
    reply.end(JSON.stringify({ token }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/Token`, close: () => server.close() };
}

interface NewmanReport {
  readonly run: { readonly executions: readonly Execution[]; readonly failures: readonly Failure[] };
}

async function runCollection(service: RunningService, collection: Collection): Promise<NewmanReport['run']> {
  const tokens = await serveToken(await connect(service));
  const [file, report] = [join(service.folder, 'collection.json'), join(service.folder, 'report.json')];
  writeFileSync(file, JSON.stringify(prepare(collection, tokens.url)));
  const { hostname, port } = new URL(service.url);
  const variables = { Protocol: 'http', Server: hostname, Port: `:${port}`, Api: 'scim/v2' };
  const variableArgs = Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  const reporters = ['--reporters', 'cli,json', '--reporter-json-export', report];
  try {
    const child = spawn('npx', ['--yes', NEWMAN, 'run', file, ...variableArgs, ...reporters], {
      stdio: ['ignore', 'inherit', 'inherit'],
      // npx may need the proxy of the shell, but newman must not use it.
      env: { ...process.env, NO_PROXY: hostname, no_proxy: hostname },
    });
    await once(child, 'close');
  } finally {
    tokens.close();
  }
  if (!existsSync(report)) throw new Error('newman wrote no report');
  return (JSON.parse(readFileSync(report, 'utf8')) as NewmanReport).run;
}

const chosen = options('PATH_TO_COLLECTION');
const [path] = chosen.operands;
if (!existsSync(path!)) stop(`there is no file ${path}`);
const text = readFileSync(path!, 'utf8');
const collection = JSON.parse(text) as Collection;
if (countChecks(collection.item) === 0) stop(`${path} has no checks`);
const service = await startService(chosen);
let run: NewmanReport['run'] | undefined;
try {
  run = await runCollection(service, collection);
} finally {
  await service.stop(run === undefined || run.failures.length > 0);
}
const { page, summary, ok } = resultPage(tally(collection, run.executions), {
  newman: NEWMAN,
  name: collection.info.name,
  hash: createHash('sha256').update(text).digest('hex'),
});
writeFileSync(RESULTS, page);
// A script that throws is a failure, too, although it has no named check.
for (const { source, error } of run.failures) console.log(`FAILED ${source?.name}: ${error.message}`);
console.log(summary);
process.exit(ok && run.failures.length === 0 ? 0 : 1);
