// Loads node:http without its HTTP client. `import ... from 'node:http'` makes Node read every export, including WebSocket, which loads
// a whole HTTP client: 13 MB and 20 ms that a server does not need.

import type { RequestListener, Server } from 'node:http';
import type { ServerOptions } from 'node:https';
import { TLS_POLICY } from './tls.ts';

export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http');

/** A TLS server. No caller chooses versions or ciphers. node:https is loaded only if one is needed. */
export const createSecureServer = (
  options: Omit<ServerOptions, keyof typeof TLS_POLICY | 'maxVersion' | 'secureProtocol' | 'secureOptions'>,
  listener: RequestListener,
): Server => process.getBuiltinModule('node:https').createServer({ ...options, ...TLS_POLICY }, listener);
