// plan, apply, export, setup schema: the set-up of a service as a file. They are clients of the public API, of a service that runs.
import { dirname } from 'node:path';
import { serviceUrl } from '../platform/config/index.ts';
import { createFile } from '../platform/durable-file.ts';
import type { Client, SetupPlan } from '../setup/index.ts';
import type { Command, ParsedArguments } from './command.ts';
import { checkFolderOf, print, settings } from './support.ts';

/** Of `gatehouse plan`. Errors are 1, so that a script can tell them from changes. */
const CHANGES_PENDING = 2;

const setup = () => import('../setup/index.ts');

/** Errors in one line each, exit status 1. */
async function reporting(work: () => Promise<void>): Promise<void> {
  const { SetupError } = await setup();
  try {
    await work();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    process.stderr.write(`gatehouse: ${error.message}\n`);
    process.exitCode = 1;
  }
}

async function withClient<T>(options: ParsedArguments['options'], work: (client: Client) => Promise<T>): Promise<T> {
  const { connect, readCredentials } = await setup();
  const { shared, identity } = settings();
  const client = await connect(
    readCredentials(process.env, {
      tokenFile: options['token-file'],
      serviceUrl: serviceUrl(identity, shared.tlsCertFile !== undefined),
      outboundAllow: shared.outboundAllow,
    }),
  );
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The plan of a file. Throws with all problems at once if it cannot be applied. */
async function planned(client: Client, { args: [file], options }: ParsedArguments) {
  const { createSecrets, plan, planJson, readSetup, SetupError } = await setup();
  const secrets = createSecrets(options.secrets ?? dirname(file!), process.env);
  const prune = options.prune !== undefined;
  const found = await plan(client, readSetup(file!), { prune, sendSecrets: options['send-secrets'] !== undefined, secrets });
  if (found.problems.length > 0) throw new SetupError(`nothing was changed:\n${found.problems.join('\n')}`);
  return { secrets, found, json: planJson(found, found.document, { service: client.url, prune }) };
}

async function show(found: SetupPlan, json: unknown, text: (plan: SetupPlan) => string, asJson: boolean): Promise<void> {
  const { safeJson } = await setup();
  print(asJson ? safeJson(json) : text(found));
}

const runPlan = (parameters: ParsedArguments): Promise<void> =>
  reporting(async () => {
    const { options } = parameters;
    if (options.out !== undefined) checkFolderOf(options.out);
    const { planText, SetupError, shown } = await setup();
    await withClient(options, async (client) => {
      const { found, json } = await planned(client, parameters);
      await show(found, json, planText, options.json !== undefined);
      if (options.out !== undefined && !createFile(options.out, `${JSON.stringify(json)}\n`))
        throw new SetupError(`${shown(options.out)} exists already`);
      if (found.changes.length > 0) process.exitCode = CHANGES_PENDING;
    });
  });

const DONE = { create: 'created', update: 'changed', delete: 'deleted' };

const runApply = (parameters: ParsedArguments): Promise<void> =>
  reporting(async () => {
    const { options } = parameters;
    const { apply, changeLines, checkSavedPlan, readSavedPlan, summaryOf } = await setup();
    const saved = options.plan === undefined ? undefined : readSavedPlan(options.plan);
    await withClient(options, async (client) => {
      const { secrets, found, json } = await planned(client, parameters);
      if (saved !== undefined) checkSavedPlan(saved, json);
      const asJson = options.json !== undefined;
      let done = 0;
      try {
        await apply(found, secrets, (change) => {
          done++;
          if (!asJson) print(changeLines(change).join('\n'));
        });
      } catch (error) {
        process.stderr.write(`gatehouse: ${done} of ${found.changes.length} changes were made; apply the file again to go on\n`);
        throw error;
      }
      await show(
        found,
        { ...json, applied: done },
        ({ changes, notices }) => [...notices, changes.length === 0 ? 'nothing to change' : summaryOf(changes, DONE)].join('\n'),
        asJson,
      );
    });
  });

const runExport = ({ options }: ParsedArguments): Promise<void> =>
  reporting(async () => {
    const { exportSetup, SetupError, shown } = await setup();
    if (options.out !== undefined) checkFolderOf(options.out);
    await withClient(options, async (client) => {
      const { text, notices } = await exportSetup(client, options.users !== undefined);
      for (const notice of notices) process.stderr.write(`gatehouse: left out: ${shown(notice, false)}\n`);
      if (options.out === undefined) print(text);
      else if (!createFile(options.out, text)) throw new SetupError(`${shown(options.out)} exists already`);
    });
  });

const FILE = { name: 'FILE', about: 'the set-up, in YAML or JSON' };
const TOKEN_FILE = {
  value: 'TOKEN',
  about: 'a file with the token of an administrator, instead of OS_TOKEN or OS_USERNAME and OS_PASSWORD',
};
const JSON_OUTPUT = { about: 'print JSON' };
const shared = {
  prune: { about: 'also delete what the file does not have, of the kinds and in the domains that it names' },
  secrets: { value: 'FOLDER', about: 'the folder of secrets that the file names; the folder of the file if not given' },
  'send-secrets': { about: 'send client secrets of identity providers again, to replace them' },
  'token-file': TOKEN_FILE,
  json: JSON_OUTPUT,
};
const CONNECTS =
  'It calls the running service at OS_AUTH_URL, with the variables of OpenStack clients (OS_USERNAME, OS_PASSWORD, OS_TOKEN, ...).';

export const setupCommands: readonly Command[] = [
  {
    words: 'plan',
    about: 'show what a set-up file would change; exit status 0: nothing, 2: something, 1: error',
    more: CONNECTS,
    args: [FILE],
    options: { ...shared, out: { value: 'PLAN', about: 'also write the plan to a new file, for apply --plan' } },
    usageStatus: 1,
    run: runPlan,
  },
  {
    words: 'apply',
    about: 'change a running service so that it is as a set-up file says',
    more: `${CONNECTS} Without --prune nothing is deleted.`,
    args: [FILE],
    options: { ...shared, plan: { value: 'PLAN', about: 'refuse to do anything else than this saved plan' } },
    usageStatus: 1,
    run: runApply,
  },
  {
    words: 'export',
    about: 'write the set-up of a running service as a file',
    more: CONNECTS,
    options: {
      users: { about: 'also what is assigned to single users' },
      out: { value: 'FILE', about: 'a new file, which only the owner may read; standard output if not given' },
      'token-file': TOKEN_FILE,
    },
    usageStatus: 1,
    run: runExport,
  },
  {
    words: 'setup schema',
    about: 'print the JSON Schema of set-up files, for editors',
    async run() {
      const { setupJsonSchema } = await setup();
      print(JSON.stringify(setupJsonSchema(), null, 2));
    },
  },
];
