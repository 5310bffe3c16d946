// How much a test run does. `npm test` is for every change; `npm run test:all` does everything on both databases and at full length. The
// table in CONTRIBUTING.md says what runs when, and why that is enough.
export type DatabaseKind = 'SQLite' | 'PostgreSQL';

const isFull = process.env.TEST_EXTENT === 'all';

/** The first value in `npm run test:all`, the second one in `npm test`. */
export const inFullRun = <T>(full: T, usual: T): T => (isFull ? full : usual);

export const BOTH_DATABASES: readonly DatabaseKind[] = ['SQLite', 'PostgreSQL'];
/** For suites whose SQL other suites run on both databases. */
export const ONE_DATABASE: readonly DatabaseKind[] = inFullRun(BOTH_DATABASES, ['SQLite']);
