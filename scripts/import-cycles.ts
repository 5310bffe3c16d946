// Circles between the folders of a service: two that import each other, even types only, can only be understood together.
import { dirname, join, normalize } from 'node:path';
import type { SourceFile } from './code-rules.ts';

/** `src/identity/users/users.rules.ts` is of the room `src/identity/users`; a file outside of any folder is a room of its own. */
const moduleOf = (path: string): string => path.split('/').slice(0, 3).join('/');

function importsBetweenModules(files: readonly SourceFile[]): Map<string, Set<string>> {
  const rooms = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    if (!path.startsWith('src/') || path.endsWith('.test.ts')) continue;
    const from = moduleOf(path);
    const found = rooms.get(from) ?? new Set<string>();
    rooms.set(from, found);
    for (const [, target] of text.matchAll(/(?:^(?:import|export)\s[^'"]*?from\s+|\bimport\()'(\.[^']+)'/gm)) {
      const to = moduleOf(normalize(join(dirname(path), target!)));
      if (to !== from) found.add(to);
    }
  }
  return rooms;
}

/** Rooms from which one comes back to where one began (Tarjan's strongly connected components). */
function stronglyConnected(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const knots: string[][] = [];

  function visit(room: string): void {
    order.set(room, order.size);
    lowest.set(room, order.get(room)!);
    open.push(room);
    for (const next of graph.get(room) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(room, Math.min(lowest.get(room)!, lowest.get(next)!));
    }
    if (lowest.get(room) !== order.get(room)) return;
    const knot = open.splice(open.indexOf(room));
    if (knot.length > 1) knots.push(knot.sort());
  }

  for (const room of graph.keys()) if (!order.has(room)) visit(room);
  return knots;
}

export function importCycles(files: readonly SourceFile[]): string[] {
  const graph = importsBetweenModules(files);
  return stronglyConnected(graph).map((knot) => {
    const links = knot.flatMap((room) => [...graph.get(room)!].filter((to) => knot.includes(to)).map((to) => `${room} -> ${to}`));
    return `${knot.join(', ')} import each other: ${links.join('; ')}`;
  });
}
