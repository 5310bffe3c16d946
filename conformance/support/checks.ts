// The steps of a run, one line each.
export interface Checks {
  /** Does the work, and prints whether it succeeded. A failure does not end the run. */
  check(what: string, work: () => Promise<void>): Promise<boolean>;
  readonly failed: number;
}

export function startChecks(): Checks {
  let failed = 0;
  return {
    async check(what, work) {
      try {
        await work();
        console.log(`ok    ${what}`);
        return true;
      } catch (error) {
        failed++;
        console.log(`FAILS ${what}\n      ${(error as Error).message}`);
        return false;
      }
    },
    get failed() {
      return failed;
    },
  };
}
