// config, openapi, two-factor qr: commands that only print.
import { readFileSync } from 'node:fs';
import { identitySettings } from '../identity/ground/settings/index.ts';
import { identityOpenApi, walletOpenApi } from '../openapi.ts';
import { describeSettings } from '../platform/config/index.ts';
import { sharedSettings } from '../settings.ts';
import { walletSettings } from '../wallet/ground/settings.ts';
import { type Command, UsageError } from './command.ts';
import { print, settings } from './support.ts';

export const printingCommands: readonly Command[] = [
  {
    words: 'config',
    about: 'print the current settings, with secrets masked',
    run() {
      const { shared, identity, wallet } = settings();
      const lines = [
        ...describeSettings(sharedSettings, shared),
        ...describeSettings(identitySettings, identity),
        ...describeSettings(walletSettings, wallet),
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
