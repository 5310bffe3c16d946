#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { run } from './runtime.js';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
if (main.endsWith('.ts') && main.includes('/node_modules/')) {
  console.error(
    'gatehouse: these are the sources, which Node does not run below node_modules. Install the package that `npm run release` builds.',
  );
  process.exit(2);
}
run(main, process.argv.slice(2));
