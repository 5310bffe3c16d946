// Appends audit events to a file, durably. The file is opened for each batch, so that it can be moved away at any time (logrotate).
import { open } from 'node:fs/promises';
import type { CadfMessage } from './cadf.ts';

const OWNER_AND_GROUP = 0o640;
const NEWLINE = 10;

export const createFileExport =
  (path: string) =>
  async (messages: readonly CadfMessage[]): Promise<void> => {
    const file = await open(path, 'a+', OWNER_AND_GROUP);
    try {
      const status = await file.stat();
      // A pipe or a terminal cannot be read back, nor written to a disk.
      if (!status.isFile()) {
        await file.appendFile(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
        return;
      }
      const { size } = status;
      const last = size === 0 ? NEWLINE : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0];
      // A crash may have left half a line. It is ended, and its event follows again as a whole.
      const lines = messages.map((message) => `${JSON.stringify(message)}\n`);
      await file.appendFile(`${last === NEWLINE ? '' : '\n'}${lines.join('')}`);
      await file.sync();
    } finally {
      await file.close();
    }
  };
