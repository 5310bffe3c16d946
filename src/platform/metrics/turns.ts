// Metrics that are read from the database: one after the other, so that a scrape takes one connection and not one for each metric.

export type InTurn = <T>(read: () => Promise<T>) => () => Promise<T>;

/** Makes reads that wait for each other. Metrics that share a read get the same value: all metrics of a scrape begin together. */
export function createTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(read: () => Promise<T>) => {
    let running: Promise<T> | undefined;
    return () => {
      if (running) return running;
      running = last.then(read).finally(() => {
        running = undefined;
      });
      last = running.catch(() => {});
      return running;
    };
  };
}
