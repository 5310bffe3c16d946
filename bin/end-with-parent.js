// Read before the file that runs: when whoever started the process is killed, it stops as if it had been told to. Nothing is to run
// under nobody.
import cluster from 'node:cluster';
import { isMainThread } from 'node:worker_threads';
import { onEndOfNpm } from './parent.js';

const stop = () => process.kill(process.pid, 'SIGTERM');

// Workers of a cluster have a channel, too: to their primary, and Node ends them with it.
if (isMainThread && cluster.isPrimary) {
  if (process.channel) {
    process.once('disconnect', stop);
    // To listen is no reason to stay.
    process.channel.unref();
  } else onEndOfNpm(stop);
}
