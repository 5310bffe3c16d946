// config, openapi, two-factor qr: commands that only print.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Tables } from '../identity/ground/database/index.ts';
import { identitySettings, serviceSettingsByKey } from '../identity/ground/settings/index.ts';
import { identityOpenApi, walletOpenApi } from '../openapi.ts';
import { describeSettings, effectiveSettings } from '../platform/config/index.ts';
import { loadInspection } from '../platform/database/index.ts';
import { shown } from '../platform/terminal.ts';
import type { RunOptions } from '../setting-rules.ts';
import { sharedSettings } from '../settings.ts';
import { walletSettings } from '../wallet/ground/settings.ts';
import { type Command, UsageError } from './command.ts';
import { print, settings } from './support.ts';

const EFFECTS = {
  unknown: 'no effect: this version does not know it',
  invalid: 'no effect: it is not valid',
  environment: 'no effect: the environment says otherwise',
  file: 'no effect: the file of settings says otherwise',
};

/** What is stored, by keys. A line of its own each: behind a value, a comment could be taken for a part of it. */
async function storedComments({ shared, identity }: Pick<Required<RunOptions>, 'shared' | 'identity'>) {
  const comments = new Map<string, string>();
  const path = join(resolve(shared.dataDir), 'identity.sqlite');
  if (identity.databaseUrl === undefined && !existsSync(path)) return comments;
  const [{ lookInto }, { inspectStored }] = await Promise.all([
    loadInspection(),
    import('../identity/ground/service-settings/index.ts'),
  ]);
  try {
    const database = lookInto<Tables>(path, identity.databaseUrl, 'GATEHOUSE_IDENTITY_DATABASE_URL');
    try {
      const settings = effectiveSettings(process.env, identitySettings);
      const { stored } = await inspectStored(database.read, { config: identity, settings, open: () => 'a secret' });
      for (const { key, value, trouble, fixedBy } of stored) {
        const effect = trouble ?? fixedBy;
        const text = trouble ? key : `${key}=${value ?? ''}`;
        comments.set(key, shown(`# stored: ${text}${effect ? ` (${EFFECTS[effect]})` : ''}`, false));
      }
    } finally {
      await database.close();
    }
  } catch {
    // Without the database this shows what it can; gatehouse settings and gatehouse doctor say what is wrong with it.
  }
  return comments;
}

export const printingCommands: readonly Command[] = [
  {
    words: 'config',
    about: 'print the settings of the environment and the file, with secrets masked, and as comments what is stored',
    async run() {
      const { shared, identity, wallet } = settings();
      const stored = await storedComments({ shared, identity });
      const ofIdentity = describeSettings(identitySettings, identity).flatMap((line) => {
        const comment = stored.get(line.slice(0, line.indexOf('=')));
        return comment === undefined ? [line] : [line, comment];
      });
      const lines = [
        ...describeSettings(sharedSettings, shared),
        ...ofIdentity,
        ...describeSettings(walletSettings, wallet),
        ...[...stored].filter(([key]) => !serviceSettingsByKey.has(key)).map(([, comment]) => comment),
      ];
      print(lines.join('\n'));
    },
  },
  {
    words: 'openapi',
    about: 'print the OpenAPI document',
    args: [{ name: 'SERVICE', about: 'the service', choices: ['identity', 'wallet'] }],
    run({ args: [service] }) {
      print(JSON.stringify(service === 'identity' ? identityOpenApi() : walletOpenApi(), null, 2));
    },
  },
  {
    words: 'two-factor qr',
    about: 'read an otpauth:// address from standard input and show it as a QR code',
    more: 'It is read from standard input because everyone who lists processes could see an argument.',
    options: { svg: { about: 'print an SVG picture' } },
    async run({ options }) {
      const { qrCode } = await import('../identity/directory/two-factor/index.ts');
      const code = qrCode(readFileSync(0, 'utf8').trim(), options.svg === undefined ? 'terminal' : 'svg');
      if (code === undefined) throw new UsageError('gatehouse: standard input must hold one otpauth://totp/ address');
      print(code);
    },
  },
];
