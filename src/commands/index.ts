// Every command, in the order help lists them.
import { backupCommands } from './backup.ts';
import type { Command } from './command.ts';
import { completionCommand } from './completion.ts';
import { printingCommands } from './printing.ts';
import { scimTokenCommands } from './scim-token.ts';
import { secretCommands } from './secrets.ts';
import { serviceCommands } from './services.ts';

export { type Asked, type Command, UsageError, understand } from './command.ts';
export { out } from './ground.ts';

export const commands: readonly Command[] = [
  ...serviceCommands,
  ...backupCommands,
  ...secretCommands,
  ...scimTokenCommands,
  ...printingCommands,
  completionCommand(() => commands),
];
