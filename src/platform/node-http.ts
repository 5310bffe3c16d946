// node:http without what an import drags in: `import ... from 'node:http'` makes Node read every export of it, WebSocket
// among them, and that loads a whole HTTP client: 13 MB and 20 ms that a server never uses.

import type { RequestListener, Server } from 'node:http';
import type { ServerOptions } from 'node:https';

export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http');

/** A server under TLS. Only who has one loads what it takes. */
export const createSecureServer = (options: ServerOptions, listener: RequestListener): Server =>
  process.getBuiltinModule('node:https').createServer(options, listener);
