// The first file that runs: the `gatehouse` command, with a shorter way to its modules.
import { registerHooks } from 'node:module';

// A thousand modules name each other two thousand times, and Node looks for the file each time anew: a sixth of the start. What one
// module imports by a relative path is where that path says; only what is named by its package has to be looked for.
registerHooks({
  resolve(specifier, context, next) {
    const isRelative = specifier.startsWith('.') && context.conditions.includes('import');
    return isRelative ? { url: new URL(specifier, context.parentURL).href, shortCircuit: true } : next(specifier, context);
  },
});

await import('./main.ts');
