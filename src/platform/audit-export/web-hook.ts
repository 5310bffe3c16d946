// Posts audit events to an address, signed like the other messages of the web hook.
import { createHmac } from 'node:crypto';
import { type Clock, seconds } from '../clock.ts';
import type { Outbound } from '../outbound/index.ts';
import type { CadfMessage } from './cadf.ts';

const TIMEOUT_MS = 10_000;

export const createWebHook =
  ({ url, secret, outbound, clock }: { url: string; secret: string; outbound: Outbound; clock: Clock }) =>
  async (messages: readonly CadfMessage[], stopping?: AbortSignal): Promise<void> => {
    const body = JSON.stringify({ events: messages });
    const at = seconds(clock);
    const { status } = await outbound({
      method: 'POST',
      url,
      headers: {
        'Content-Type': 'application/json',
        'X-Gatehouse-Event': 'audit',
        'X-Gatehouse-Signature': `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`,
      },
      body,
      timeoutMs: TIMEOUT_MS,
      kind: 'audit',
      ...(stopping ? { signal: stopping } : {}),
    });
    if (status < 200 || status > 299) throw new Error(`the web hook answered ${status}`);
  };
