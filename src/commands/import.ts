// import: what another system has is moved in. Beside a running service by its API; before the first start, or while it is stopped, on its database.
import { deliverFirstPassword } from '../first-password.ts';
import type { Report, Target } from '../import/index.ts';
import { SOURCE_NAMES } from '../import/sources/index.ts';
import { serviceUrl } from '../platform/config/index.ts';
import { replaceFile } from '../platform/durable-file.ts';
import { createLog } from '../platform/log/index.ts';
import { shown } from '../platform/terminal.ts';
import type { Command, ParsedArguments } from './command.ts';
import { checkFolderOf, print, settings } from './support.ts';

const PROGRESS_MS = 1_000;
/** Something was not taken. */
const INCOMPLETE = 3;

type Options = ParsedArguments['options'];

const hasCredentials = (options: Options): boolean =>
  options['token-file'] !== undefined ||
  ['OS_TOKEN', 'OS_AUTH_TOKEN', 'OS_USERNAME', 'OS_USER_ID'].some((name) => Boolean(process.env[name]));

async function serviceByApi(options: Options): Promise<Target> {
  const [{ readCredentials }, { runningService }] = await Promise.all([
    import('../setup/index.ts'),
    import('../import/index.ts'),
  ]);
  const { shared, identity } = settings();
  return runningService(
    readCredentials(process.env, {
      tokenFile: options['token-file'],
      serviceUrl: serviceUrl(identity, shared.tlsCertFile !== undefined),
      outboundAllow: shared.outboundAllow,
    }),
  );
}

/** Without its server. The first time, this makes what a first start makes. */
async function stoppedService(): Promise<Target> {
  const [{ createIdentity }, { openDataFolder }, { lockFolder }, { serviceActor }] = await Promise.all([
    import('../run-here.ts'),
    import('../data-folder.ts'),
    import('../platform/database/index.ts'),
    import('../identity/ground/audit/index.ts'),
  ]);
  const { shared, identity } = settings();
  const folder = openDataFolder(shared.dataDir);
  const lock = identity.databaseUrl ? undefined : lockFolder(folder);
  const log = createLog('silent');
  const service = await createIdentity(identity, { shared, folder, log });
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  await service.prepare(deliverFirstPassword({ folder, log, say, isGiven: identity.adminPassword !== undefined }));
  const { imports } = service;
  const rowOf = async (id: string) => (await imports.target(id)).get();
  return {
    begin: async (run) => (await imports.begin(serviceActor, run)).id,
    take: async (id, kind, records) => imports.take(serviceActor, await rowOf(id), kind, records),
    async report(id, report, state) {
      await imports.report(serviceActor, await rowOf(id), { report, state });
    },
    async close() {
      await service.stop(0);
      lock?.release();
    },
  };
}

/** On one line that is written again on a terminal; elsewhere a line now and then. */
function createProgress() {
  const isTerminal = process.stderr.isTTY;
  const began = Date.now();
  let last = 0;
  return {
    show(text: string): void {
      const now = Date.now();
      if (now - last < (isTerminal ? PROGRESS_MS / 5 : PROGRESS_MS * 10)) return;
      last = now;
      const line = `${shown(text, false)} (${Math.round((now - began) / 1000)} s)`;
      process.stderr.write(isTerminal ? `\r\u001b[K${line}` : `${line}\n`);
    },
    end(): void {
      if (isTerminal && last > 0) process.stderr.write('\r\u001b[K');
    },
  };
}

const listOf = (text: string | undefined): string[] =>
  text
    ?.split(',')
    .map((one) => one.trim())
    .filter(Boolean) ?? [];

async function run(parameters: ParsedArguments): Promise<void> {
  const { args, options } = parameters;
  const [kind, location] = args as [string, string];
  const { ImportError, runImport, SOURCES } = await import('../import/index.ts');
  const { SetupError } = await import('../setup/index.ts');
  if (options.json !== undefined) checkFolderOf(options.json);
  const rehearsal = options.apply === undefined;
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  const progress = createProgress();
  try {
    const source = await (await SOURCES[kind]!()).open(location, { values: options, env: process.env });
    let report: Report;
    try {
      const target = hasCredentials(options) ? await serviceByApi(options) : await stoppedService();
      process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
      try {
        report = await runImport(source, target, {
          run: { source: options.name ?? kind, kind, rehearsal, merge: listOf(options.merge), domain_id: options.domain },
          only: options.only === undefined ? undefined : new Set(listOf(options.only)),
          signal: stop.signal,
          onProgress: progress.show,
        });
      } finally {
        progress.end();
        process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
        await target.close();
      }
    } finally {
      await source.close();
    }
    if (options.json !== undefined) replaceFile(options.json, `${JSON.stringify(report.json(), null, 2)}\n`);
    print(report.text(rehearsal));
    if (stop.signal.aborted) print('\nStopped. Run it again to go on.');
    else if (rehearsal) print('\nThis was a rehearsal: nothing was stored. With --apply it is.');
    process.exitCode = stop.signal.aborted ? 1 : report.isComplete ? 0 : INCOMPLETE;
  } catch (error) {
    if (!(error instanceof ImportError || error instanceof SetupError)) throw error;
    process.stderr.write(`gatehouse: ${shown(error.message, false)}\n`);
    process.exitCode = 1;
  }
}

export const importCommand: Command = {
  words: 'import',
  about: 'move in what another system has: people with their passwords, projects, roles; a rehearsal unless --apply is said',
  more: 'With OS_USERNAME and OS_PASSWORD or OS_TOKEN it calls the running service at OS_AUTH_URL; without, it works on the database, before the first start or while the service is stopped. It never deletes, and what exists here stays as it is but for --merge. Run it again as often as you like: only what changed in the source is taken. Exit status 3: something was not taken.',
  args: [
    { name: 'KIND', about: 'what the source is', choices: SOURCE_NAMES },
    { name: 'SOURCE', about: 'where it is: docs/developing/import-source.md, and the guide of each kind' },
  ],
  options: {
    apply: { about: 'store it; without this, the report says what would be' },
    merge: {
      value: 'KINDS',
      about:
        'kinds of things, such as role,domain: those that are here with the same id or name are taken as the same, and changed',
    },
    only: { value: 'KINDS', about: 'take only these kinds of things' },
    name: { value: 'NAME', about: 'what the source is called here, if there are several of its kind; its kind if not given' },
    domain: { value: 'ID', about: 'the domain of people and groups of which the source does not say in which they are' },
    'credential-keys': { value: 'FOLDER', about: 'keystone: the keys of its credentials; those of keystone.conf if not given' },
    json: { value: 'FILE', about: 'also write the whole report to this file' },
    'token-file': {
      value: 'TOKEN',
      about: 'a file with the token of an administrator, instead of OS_TOKEN or OS_USERNAME and OS_PASSWORD',
    },
  },
  whileRunning: 'set OS_USERNAME and OS_PASSWORD, or OS_TOKEN: then it calls the service',
  run,
};
