// Sends spans by OTLP over HTTP, as JSON (https://opentelemetry.io/docs/specs/otlp/). In batches, at most once: a trace is not worth more.
import { type Attributes, SpanStatusCode } from '@opentelemetry/api';
import type { Log } from '../log/index.ts';
import type { Outbound } from '../outbound/index.ts';
import type { EndedSpan } from './provider.ts';

const EVERY_MS = 5_000;
const BATCH = 512;
/** More that wait are dropped: a collector that is away must not fill the memory. */
const MAX_WAITING = 2048;
const TIMEOUT_MS = 5_000;

const otlpValue = (value: unknown) => {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { stringValue: String(value) };
};
const attributesOf = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: otlpValue(value) }));
const nanoseconds = (milliseconds: number): string => (BigInt(Math.round(milliseconds * 1000)) * 1000n).toString();

const jsonOf = ({ name, kind, context, parentSpanId, start, end, attributes, status }: EndedSpan) => ({
  traceId: context.traceId,
  spanId: context.spanId,
  ...(parentSpanId === undefined ? {} : { parentSpanId }),
  name,
  // The numbers of OTLP begin with 0 for "unspecified".
  kind: kind + 1,
  startTimeUnixNano: nanoseconds(start),
  endTimeUnixNano: nanoseconds(end),
  attributes: attributesOf(attributes),
  status: status.code === SpanStatusCode.UNSET ? {} : { code: status.code },
});

export interface OtlpOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Attributes;
  readonly outbound: Outbound;
  readonly log: Log;
}

export function createOtlpExporter({ url, headers, resource, outbound, log }: OtlpOptions) {
  let waiting: EndedSpan[] = [];
  let sending: Promise<void> = Promise.resolve();
  let [dropped, isFailing] = [0, false];

  async function send(spans: readonly EndedSpan[]): Promise<void> {
    const scopeSpans = [{ scope: { name: 'gatehouse' }, spans: spans.map(jsonOf) }];
    const body = JSON.stringify({ resourceSpans: [{ resource: { attributes: attributesOf(resource) }, scopeSpans }] });
    const all = { ...headers, 'Content-Type': 'application/json' };
    const { status } = await outbound({ method: 'POST', url, headers: all, body, timeoutMs: TIMEOUT_MS, kind: 'traces' });
    if (status < 200 || status > 299) throw new Error(`the collector answered ${status}`);
  }

  async function sendWaiting(): Promise<void> {
    const batch = waiting.slice(0, BATCH);
    waiting = waiting.slice(BATCH);
    if (batch.length === 0) return;
    try {
      await send(batch);
      isFailing = false;
    } catch (err) {
      dropped += batch.length;
      if (!isFailing) log.warn({ err, dropped }, 'spans could not be sent; they are dropped');
      isFailing = true;
    }
  }

  /** One batch at a time. */
  function flush(): Promise<void> {
    sending = sending.then(sendWaiting);
    return sending;
  }
  const timer = setInterval(() => void flush(), EVERY_MS);
  timer.unref();

  return {
    add(span: EndedSpan): void {
      if (waiting.length >= MAX_WAITING) {
        dropped++;
        return;
      }
      waiting.push(span);
      if (waiting.length % BATCH === 0) void flush();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      while (waiting.length > 0) await flush();
      await sending;
    },
  };
}
