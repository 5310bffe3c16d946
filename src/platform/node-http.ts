// node:http without what an import drags in: `import ... from 'node:http'` makes Node read every export of it, WebSocket
// among them, and that loads a whole HTTP client: 13 MB and 20 ms that a server never uses.

export const { createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http');
