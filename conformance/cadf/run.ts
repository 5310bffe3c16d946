// One event of each action that the code spells out, and of each noun, judged by pycadf.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NOUN_NAMES } from '../../src/identity/ground/noun-names.ts';
import { identityCadf } from '../../src/identity/operations/audit-export/index.ts';
import { newTimedId } from '../../src/platform/ids.ts';
import { walletCadf } from '../../src/wallet/audit-export/index.ts';
import { packageVersion, stop } from '../support/debian.ts';

if (!existsSync('/usr/lib/python3/dist-packages/pycadf'))
  stop('pycadf is not installed. Run: apt-get install --no-install-recommends python3-pycadf');

interface Action {
  readonly action: string;
  readonly kind: string;
}
/** Fewer than these: the pattern does not match the code any more. */
const LEAST = 150;

/** Each once, however many places write it. */
function actionsIn(folder: string): Action[] {
  const found = new Map<string, Action>();
  for (const path of globSync(`${folder}/**/*.ts`).filter((one) => !one.includes('.test.')))
    for (const [call, action, kind] of readFileSync(path, 'utf8').matchAll(
      /\baudit\(\s*'([a-z0-9_]+\.[a-z0-9_]+)',\s*\{ kind: '([a-z0-9_]+)'/g,
    ))
      found.set(call.replace(/\s+/g, ''), { action: action!, kind: kind! });
  return [...found.values()];
}
/** Those for which Keystone has names of its own: always, however the code writes them. */
const WITH_NAMES: readonly Action[] = [
  ...['user.logged_in', 'user.login_refused', 'user.password_proved'].map((action) => ({ action, kind: 'user' })),
  ...['grant.created', 'grant.revoked'].map((action) => ({ action, kind: 'role' })),
];
const ofNouns = Object.keys(NOUN_NAMES).flatMap((kind) =>
  ['created', 'updated', 'deleted'].map((verb) => ({ action: `${kind}.${verb}`, kind })),
);

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
  ...[...actionsIn('src/identity'), ...ofNouns, ...WITH_NAMES].map((one) => identityCadf(eventOf(one))),
  ...actionsIn('src/wallet').map((one) => walletCadf(eventOf(one))),
];
if (messages.length < LEAST) stop(`only ${messages.length} actions were found in the code`);
const input = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
const { stdout, stderr, status } = spawnSync('/usr/bin/python3', [join(import.meta.dirname, 'check.py')], {
  input,
  encoding: 'utf8',
});
console.log(`pycadf ${packageVersion('python3-pycadf')}: ${stdout.trim()}${stderr}`);
process.exit(status ?? 1);
