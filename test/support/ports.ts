// A free port, for programs that need a fixed one.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that Linux gives to outgoing connections: one of these would take the port before the program starts, or while it is started again. */
const LOWEST = 12_000;
const HIGHEST = 32_000;
/** Processes begin at different places. */
let next = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));

export async function freePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = next < HIGHEST ? next + 1 : LOWEST;
    const server = createServer();
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
