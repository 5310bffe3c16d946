// Finds import cycles between the modules of a service. Modules that import each other, even only types, cannot be understood separately.
import type { SourceFile } from './code-rules.ts';
import { moduleOf, resolveImport } from './rooms.ts';

function importsBetweenModules(files: readonly SourceFile[]): Map<string, Set<string>> {
  const modules = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    if (!path.startsWith('src/') || path.endsWith('.test.ts')) continue;
    const from = moduleOf(path);
    const found = modules.get(from) ?? new Set<string>();
    modules.set(from, found);
    for (const [, target] of text.matchAll(/(?:^(?:import|export)\s[^'"]*?from\s+|\bimport\()'(\.[^']+)'/gm)) {
      const to = moduleOf(resolveImport(path, target!));
      if (to !== from) found.add(to);
    }
  }
  return modules;
}

/** Modules that import each other, directly or through others (Tarjan's strongly connected components). */
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

export function importCycles(files: readonly SourceFile[]): string[] {
  const graph = importsBetweenModules(files);
  return stronglyConnected(graph).map((component) => {
    const links = component.flatMap((module) =>
      [...graph.get(module)!].filter((to) => component.includes(to)).map((to) => `${module} -> ${to}`),
    );
    return `${component.join(', ')} import each other: ${links.join('; ')}`;
  });
}
