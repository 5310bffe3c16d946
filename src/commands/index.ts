// All commands, in the order of the help.
import { auditCommands } from './audit.ts';
import { backupCommands } from './backup.ts';
import type { Command } from './command.ts';
import { completionCommand } from './completion.ts';
import { doctorCommand } from './doctor.ts';
import { importCommand } from './import.ts';
import { mailCommands } from './mail.ts';
import { moveCommand } from './move.ts';
import { printingCommands } from './printing.ts';
import { scimTokenCommands } from './scim-token.ts';
import { secretCommands } from './secrets.ts';
import { serviceCommands } from './services.ts';
import { setupCommands } from './setup.ts';
import { storedSettingCommands } from './stored-settings.ts';

export { type Command, type ParsedCommand, parseCommandLine, UsageError } from './command.ts';
export { print } from './support.ts';

export const commands: readonly Command[] = [
  ...serviceCommands,
  doctorCommand,
  ...backupCommands,
  moveCommand,
  ...secretCommands,
  ...storedSettingCommands,
  ...scimTokenCommands,
  ...mailCommands,
  ...setupCommands,
  importCommand,
  ...auditCommands,
  ...printingCommands,
  completionCommand(() => commands),
];
