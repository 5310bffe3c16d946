// Which span is current, kept across asynchronous work; and how it is passed on between services (W3C Trace Context).
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type ContextManager,
  isSpanContextValid,
  ROOT_CONTEXT,
  type TextMapGetter,
  type TextMapPropagator,
  type TextMapSetter,
  TraceFlags,
  trace,
} from '@opentelemetry/api';

export class AsyncContext implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }
  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    context: Context,
    work: F,
    self?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(context, () => work.call(self as never, ...args));
  }
  bind<T>(context: Context, target: T): T {
    if (typeof target !== 'function') return target;
    return ((...args: unknown[]) => this.#storage.run(context, () => target(...args))) as T;
  }
  enable(): this {
    return this;
  }
  disable(): this {
    this.#storage.disable();
    return this;
  }
}

const HEADER = 'traceparent';
const FORMAT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Only `traceparent`. `tracestate` is of others, `baggage` may hold anything: neither is believed or passed on. */
export class TraceParent implements TextMapPropagator {
  inject(context: Context, carrier: unknown, setter: TextMapSetter): void {
    const span = trace.getSpanContext(context);
    if (!span || !isSpanContextValid(span)) return;
    const flags = (span.traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01';
    setter.set(carrier, HEADER, `00-${span.traceId}-${span.spanId}-${flags}`);
  }
  extract(context: Context, carrier: unknown, getter: TextMapGetter): Context {
    const value = getter.get(carrier, HEADER);
    const [, version, traceId, spanId, flags, more] = (typeof value === 'string' && FORMAT.exec(value)) || [];
    if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return context;
    const span = {
      traceId: traceId!,
      spanId: spanId!,
      traceFlags: Number.parseInt(flags!, 16) & TraceFlags.SAMPLED,
      isRemote: true,
    };
    return isSpanContextValid(span) ? trace.setSpanContext(context, span) : context;
  }
  fields(): string[] {
    return [HEADER];
  }
}
