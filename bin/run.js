// `node bin/run.js scripts/check.ts ...`: runs a script of the project on the project's runtime.
import { run } from './runtime.js';

run(process.argv[2], process.argv.slice(3));
