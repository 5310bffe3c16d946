// Finds import cycles, between modules and between files. What imports each other, even only types, cannot be understood separately.
import type { SourceFile } from './code-rules.ts';
import { moduleOf, resolveImport } from './rooms.ts';

/** `unitOf`: the module of a file, or the file itself. */
function importsBetween(files: readonly SourceFile[], unitOf: (path: string) => string): Map<string, Set<string>> {
  const units = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    const from = unitOf(path);
    const found = units.get(from) ?? new Set<string>();
    units.set(from, found);
    for (const [, target] of text.matchAll(/(?:^(?:import|export)\s[^'"]*?from\s+|\bimport\()'(\.[^']+)'/gm)) {
      const to = unitOf(resolveImport(path, target!));
      if (to !== from) found.add(to);
    }
  }
  return units;
}

/** What imports each other, directly or through others (Tarjan's strongly connected components). */
function stronglyConnected(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const components: string[][] = [];

  function visit(module: string): void {
    order.set(module, order.size);
    lowest.set(module, order.get(module)!);
    open.push(module);
    for (const next of graph.get(module) ?? []) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) lowest.set(module, Math.min(lowest.get(module)!, lowest.get(next)!));
    }
    if (lowest.get(module) !== order.get(module)) return;
    const component = open.splice(open.indexOf(module));
    if (component.length > 1) components.push(component.sort());
  }

  for (const module of graph.keys()) if (!order.has(module)) visit(module);
  return components;
}

function cyclesIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  return stronglyConnected(graph).map((component) => {
    const links = component.flatMap((unit) =>
      [...graph.get(unit)!].filter((to) => component.includes(to)).map((to) => `${unit} -> ${to}`),
    );
    return `${component.join(', ')} import each other: ${links.join('; ')}`;
  });
}

export function importCycles(files: readonly SourceFile[]): string[] {
  const sources = files.filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'));
  return [...cyclesIn(importsBetween(sources, moduleOf)), ...cyclesIn(importsBetween(files, (path) => path))];
}
