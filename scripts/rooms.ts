// The rooms of a service: folders of modules, in an order. A room imports only those before it. What lies beside the rooms (service.ts,
// routes.ts) is above all of them. docs/map.md says what is in each.
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
};

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
  const folders = rest.slice(0, -1).slice(0, room ? 2 : 1);
  return { service, room, module: folders.length > (room ? 1 : 0) ? folders.join('/') : undefined };
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
