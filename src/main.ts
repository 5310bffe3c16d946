// The `gatehouse` command: finds out what is asked for, runs it, and says what went wrong in one line.
import { type Command, commands, parseCommandLine, print, UsageError } from './commands/index.ts';
import { ConfigError } from './platform/config/index.ts';
import { DatabaseWaitTimeout, FolderInUse, isUnwritable } from './platform/database/index.ts';
import { Fault } from './platform/faults/index.ts';
import { DamagedSeal, UnknownMasterKey } from './platform/seal/index.ts';
import { version } from './version.ts';

let running: Command | undefined;

async function main(): Promise<void> {
  const asked = parseCommandLine(commands, process.argv.slice(2), version);
  if ('print' in asked) return print(asked.print);
  running = asked.command;
  await asked.command.run(asked.given);
}

function end(line: string, code: number): never {
  process.stderr.write(`${line}\n`);
  process.exit(code);
}

main().catch((error: unknown) => {
  if (error instanceof UsageError) end(error.message, 2);
  if (error instanceof FolderInUse)
    end(`gatehouse: ${error.message}${running?.whileRunning ? `; or ${running.whileRunning}` : ''}`, 2);
  if (error instanceof ConfigError) end(`gatehouse: ${error.message}`, 2);
  if (error instanceof UnknownMasterKey)
    end(
      `gatehouse: GATEHOUSE_MASTER_KEY: a secret in the database is ${error.message}; give the key the database was made with`,
      2,
    );
  if (error instanceof DamagedSeal) end(`gatehouse: ${error.message}`, 1);
  if (error instanceof DatabaseWaitTimeout) end(`gatehouse: ${error.message}`, error.exitCode);
  // The service runs well; what was asked for is not there, or not allowed.
  if (error instanceof Fault) end(`gatehouse: ${error.message}`, 1);
  const { code, message } = error as NodeJS.ErrnoException;
  const mend = isUnwritable(error)
    ? '; nothing can be stored: the disk is full, or may not be written to. Make room, and start again'
    : '';
  end(`gatehouse: cannot start: ${code ? `${code}: ` : ''}${message}${mend}`, 1);
});
