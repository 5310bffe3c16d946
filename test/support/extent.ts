// How much a test run does. `npm test` is for every change; `npm run test:all` does everything. The table in CONTRIBUTING.md says what
// runs when, and why that is enough.
const isFull = process.env.TEST_EXTENT === 'all';

/** The first value in `npm run test:all`, the second one in `npm test`. */
export const inFullRun = <T>(full: T, usual: T): T => (isFull ? full : usual);
