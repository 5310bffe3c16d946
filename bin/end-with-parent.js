// Loaded before the main file: when the parent process is killed, this process stops as on SIGTERM, so that none is orphaned.
import cluster from 'node:cluster';
import { isMainThread } from 'node:worker_threads';
import { onEndOfNpm } from './parent.js';

const stop = () => process.kill(process.pid, 'SIGTERM');

// Cluster workers have a channel to their primary, too, and Node ends them with it.
if (isMainThread && cluster.isPrimary) {
  if (process.channel) {
    process.once('disconnect', stop);
    // Listening must not keep the process alive.
    process.channel.unref();
  } else onEndOfNpm(stop);
}
