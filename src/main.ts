// The `gatehouse` command: parses the command line, runs the command, and reports errors in one line.
import { type Command, commands, parseCommandLine, print, UsageError } from './commands/index.ts';
import { ConfigError } from './platform/config/index.ts';
import { DatabaseWaitTimeout, FolderInUse, isUnwritable } from './platform/database/index.ts';
import { Fault } from './platform/faults/index.ts';
import { DamagedSeal, UnknownMasterKey } from './platform/seal/index.ts';
import { version } from './version.ts';

let running: Command | undefined;

async function main(): Promise<void> {
  const parsed = parseCommandLine(commands, process.argv.slice(2), version);
  if ('print' in parsed) return print(parsed.print);
  running = parsed.command;
  await parsed.command.run(parsed.parameters);
}

function end(line: string, code: number): never {
  process.stderr.write(`${line}\n`);
  process.exit(code);
}

main().catch((error: unknown) => {
  if (error instanceof UsageError) end(error.message, error.status);
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
  // The service works; the thing does not exist, or it is not allowed.
  if (error instanceof Fault) end(`gatehouse: ${error.message}`, 1);
  const { code, message } = error as NodeJS.ErrnoException;
  const remedy = isUnwritable(error)
    ? '; nothing can be stored: the disk is full, or may not be written to. Make room, and try again'
    : '';
  const what = running && !running.isService ? `${running.words} failed` : 'cannot start';
  end(`gatehouse: ${what}: ${code ? `${code}: ` : ''}${message}${remedy}`, 1);
});
