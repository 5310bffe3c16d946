// Spans around work. While traces are off, nothing but a comparison happens, and OpenTelemetry is not even loaded.
import type * as OpenTelemetry from '@opentelemetry/api';

type Span = OpenTelemetry.Span;

interface Tracing {
  readonly api: typeof OpenTelemetry;
  readonly tracer: OpenTelemetry.Tracer;
}

let tracing: Tracing | undefined;

export const isTracing = (): boolean => tracing !== undefined;

/** From now on spans are made by the provider that is registered with the API. */
export function turnOn(api: typeof OpenTelemetry): void {
  tracing = { api, tracer: api.trace.getTracer('gatehouse') };
}

export function turnOff(): void {
  tracing = undefined;
}

export interface SpanOptions {
  readonly kind?: 'client' | 'internal';
  /** Never a secret, and nothing about a person: no values of statements, no paths of URLs, no names. */
  readonly attributes?: OpenTelemetry.Attributes;
  /** Only as a part of a trace: what background jobs read every second makes no trace. */
  readonly needsParent?: boolean;
}

/** Messages of errors may name people, so a span only has their kind. */
function fail({ api }: Tracing, span: Span, error: unknown): void {
  const type = error instanceof Error ? error.name : 'unknown';
  span.setStatus({ code: api.SpanStatusCode.ERROR });
  span.setAttribute('error.type', type);
}

function watch<T>(own: Tracing, span: Span, work: (span: Span) => T): T {
  try {
    const result = work(span);
    if (!(result instanceof Promise)) {
      span.end();
      return result;
    }
    return result.then(
      (value) => {
        span.end();
        return value;
      },
      (error: unknown) => {
        fail(own, span, error);
        span.end();
        throw error;
      },
    ) as T;
  } catch (error) {
    fail(own, span, error);
    span.end();
    throw error;
  }
}

/** Runs the work in a span, if traces are on. */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: Span | undefined) => T): T {
  const own = tracing;
  if (own === undefined || (options.needsParent && own.api.trace.getActiveSpan() === undefined)) return work(undefined);
  const { attributes = {} } = options;
  const kind = options.kind === 'client' ? own.api.SpanKind.CLIENT : own.api.SpanKind.INTERNAL;
  return own.tracer.startActiveSpan(name, { kind, attributes }, (span) => watch(own, span, work));
}

/** The span of a request that arrived. It ends when the answer is known. */
export interface RequestSpan {
  /** Runs the work as a part of it. */
  run(work: () => void): void;
  end(route: string, status: number): void;
}

/** Continues the trace of the caller (W3C Trace Context), or begins one. Undefined while traces are off. */
export function startRequestSpan(
  service: string,
  method: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): RequestSpan | undefined {
  if (tracing === undefined) return undefined;
  const { tracer, api } = tracing;
  const { context, propagation, SpanKind, SpanStatusCode, trace } = api;
  const parent = propagation.extract(context.active(), headers);
  const attributes = { 'http.request.method': method, 'gatehouse.service': service };
  const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
  const current = trace.setSpan(parent, span);
  return {
    run: (work) => context.with(current, work),
    end(route, status) {
      span.updateName(`${method} ${route}`);
      span.setAttributes({ 'http.route': route, 'http.response.status_code': status });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Headers by which another service continues the trace. */
export function traceHeaders(): Record<string, string> {
  if (tracing === undefined) return {};
  const { context, propagation } = tracing.api;
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}
