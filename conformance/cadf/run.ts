// One event of each action in the code, judged by pycadf.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { identityCadf } from '../../src/identity/operations/audit-export/index.ts';
import { newTimedId } from '../../src/platform/ids.ts';
import { walletCadf } from '../../src/wallet/audit-export/index.ts';
import { packageVersion, stop } from '../support/debian.ts';

if (!existsSync('/usr/lib/python3/dist-packages/pycadf'))
  stop('pycadf is not installed. Run: apt-get install --no-install-recommends python3-pycadf');

/** Those that stand in calls, and those that follow from the definition of a noun (`one: 'policy'`). */
function actionsIn(folder: string): { action: string; kind: string }[] {
  const sources = globSync(`${folder}/**/*.ts`)
    .filter((path) => !path.includes('.test.'))
    .map((path) => readFileSync(path, 'utf8'));
  const matches = (pattern: RegExp) => sources.flatMap((source) => [...source.matchAll(pattern)]);
  return [
    ...matches(/\baudit\(\s*'([a-z0-9_]+\.[a-z0-9_]+)',\s*\{ kind: '([a-z0-9_]+)'/g).map(([, action, kind]) => ({
      action: action!,
      kind: kind!,
    })),
    ...matches(/^ {2}one: '([a-z0-9_]+)',$/gm).flatMap(([, kind]) =>
      ['created', 'updated', 'deleted'].map((verb) => ({ action: `${kind}.${verb}`, kind: kind! })),
    ),
  ];
}

const eventOf = ({ action, kind }: { action: string; kind: string }) => ({
  id: newTimedId(Date.now()),
  at: Math.floor(Date.now() / 1000),
  request_id: 'req-1',
  actor_id: '0123456789abcdef0123456789abcdef',
  action,
  target_kind: kind,
  target_id: 'fedcba9876543210fedcba9876543210',
  outcome: action.endsWith('refused') ? 'failure' : 'success',
  detail: '{}',
  domain_id: null,
  application_id: null,
  user_id: null,
});

const messages = [
  ...[...actionsIn('src/identity'), { action: 'user.logged_in', kind: 'user' }].map((one) => identityCadf(eventOf(one))),
  ...actionsIn('src/wallet').map((one) => walletCadf(eventOf(one))),
];
const input = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
const { stdout, stderr, status } = spawnSync('/usr/bin/python3', [join(import.meta.dirname, 'check.py')], {
  input,
  encoding: 'utf8',
});
console.log(`pycadf ${packageVersion('python3-pycadf')}: ${stdout.trim()}${stderr}`);
process.exit(status ?? 1);
