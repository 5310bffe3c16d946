// The rooms of a service, in an order. A room imports only those before it. What lies beside the rooms (service.ts, routes.ts) is above
// all of them. A room of the identity service is a folder of modules, one of the others is a module. docs/map.md says what is in each.
import { dirname, join, normalize } from 'node:path';

export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  identity: [
    'ground',
    'access',
    'directory',
    'catalog',
    'delegation',
    'applications',
    'login',
    'openid',
    'provisioning',
    'role-credentials',
    'operations',
    'pages',
  ],
  wallet: [
    'ground',
    'access',
    'resource',
    'session',
    'keys',
    'attester',
    'publication',
    'dids',
    'protocols',
    'credentials',
    'exchanges',
    'issuance',
    'presentation',
    'pages',
    'jobs',
    'audit-export',
  ],
  verifiable: ['jose', 'resolver', 'trust', 'status', 'formats', 'issuing', 'presentations'],
};

/** Rooms whose folders are modules. `ground` has files that everybody imports, each a module by itself. */
const holdsModules = (service: string, room: string): boolean => service === 'identity' || room === 'ground';

/** Folders above all rooms. */
const ABOVE = ['migrations'];

export interface Place {
  readonly service: string;
  readonly room: string | undefined;
  /** The folder that others import through its index.ts; a file outside of any is a module by itself, and has none. */
  readonly module: string | undefined;
}

/** `src/identity/directory/users/users.rules.ts` is of the service `identity`, the room `directory` and the module `directory/users`; so are its subfolders. */
export function placeOf(path: string): Place {
  const [, service = '', ...rest] = path.split('/');
  const room = rest.length > 1 && ROOMS[service]?.includes(rest[0]!) ? rest[0] : undefined;
  const depth = room && holdsModules(service, room) ? 2 : 1;
  const folders = rest.slice(0, -1).slice(0, depth);
  return { service, room, module: folders.length === depth ? folders.join('/') : undefined };
}

/** The path of a module, or of a file that is one by itself. */
export function moduleOf(path: string): string {
  const { service, module } = placeOf(path);
  return module ? `src/${service}/${module}` : path;
}

/** The path that an import means. */
export const resolveImport = (path: string, target: string): string => normalize(join(dirname(path), target));

export function roomFaults(path: string, target: string): string[] {
  const [from, to] = [placeOf(path), placeOf(target)];
  const rooms = ROOMS[from.service];
  if (!rooms) return [];
  if (!from.room && from.module && !ABOVE.includes(from.module))
    return [`${path}: the folder ${from.module} is in no room (scripts/rooms.ts)`];
  if (!from.room || from.service !== to.service || from.room === to.room) return [];
  if (to.room && rooms.indexOf(to.room) < rooms.indexOf(from.room)) return [];
  return [`${path}: the room ${from.room} imports ${target}, which is above it (scripts/rooms.ts)`];
}
