// Spans around work. While traces are off, nothing but a comparison happens.
import {
  type Attributes,
  context,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

let tracer: Tracer | undefined;

export const isTracing = (): boolean => tracer !== undefined;

/** From now on spans are made by the provider that is registered with the API. */
export function turnOn(): void {
  tracer = trace.getTracer('gatehouse');
}

export function turnOff(): void {
  tracer = undefined;
}

export interface SpanOptions {
  readonly kind?: 'client' | 'internal';
  /** Never a secret, and nothing about a person: no values of statements, no paths of URLs, no names. */
  readonly attributes?: Attributes;
  /** Only as a part of a trace: what background jobs read every second makes no trace. */
  readonly needsParent?: boolean;
}

/** Messages of errors may name people, so a span only has their kind. */
function fail(span: Span, error: unknown): void {
  const type = error instanceof Error ? error.name : 'unknown';
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', type);
}

function watch<T>(span: Span, work: (span: Span) => T): T {
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
        fail(span, error);
        span.end();
        throw error;
      },
    ) as T;
  } catch (error) {
    fail(span, error);
    span.end();
    throw error;
  }
}

/** Runs the work in a span, if traces are on. */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: Span | undefined) => T): T {
  if (tracer === undefined || (options.needsParent && trace.getActiveSpan() === undefined)) return work(undefined);
  const { kind, attributes = {} } = options;
  return tracer.startActiveSpan(name, { kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes }, (span) =>
    watch(span, work),
  );
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
  if (tracer === undefined) return undefined;
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
  if (tracer === undefined) return {};
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}
