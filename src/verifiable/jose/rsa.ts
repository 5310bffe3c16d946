// Generates RSA keys in a separate thread: see rsa-worker.ts.
import type { KeyObject } from 'node:crypto';
import { threadOf } from '../../platform/threads/index.ts';

export const generateRsa = threadOf<number, KeyObject>(new URL('./rsa-worker.ts', import.meta.url));
