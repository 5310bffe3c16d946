// A small SDK: makes spans, samples them, and gives those that ended to an exporter.
import { randomBytes } from 'node:crypto';
import {
  type Attributes,
  type AttributeValue,
  type Context,
  context as contextApi,
  type Exception,
  type HrTime,
  isSpanContextValid,
  type Link,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  type SpanStatus,
  SpanStatusCode,
  type TimeInput,
  TraceFlags,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';

export interface EndedSpan {
  readonly name: string;
  readonly kind: SpanKind;
  readonly context: SpanContext;
  readonly parentSpanId: string | undefined;
  /** Milliseconds since 1970, with fractions. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly status: SpanStatus;
}

/** Which traces are recorded, when nobody before us has decided it. */
export interface Sampler {
  /** Between 0 and 1. */
  readonly ratio: number;
  /** Whether the decision of the caller counts. */
  readonly followsParent: boolean;
}

const MAX_ATTRIBUTE = 1024;
const now = (): number => performance.timeOrigin + performance.now();
const limited = (value: AttributeValue): AttributeValue => (typeof value === 'string' ? value.slice(0, MAX_ATTRIBUTE) : value);

class RecordedSpan implements Span {
  readonly #context: SpanContext;
  readonly #parentSpanId: string | undefined;
  readonly #kind: SpanKind;
  readonly #onEnd: (span: EndedSpan) => void;
  readonly #start = now();
  readonly #attributes: Attributes = {};
  #name: string;
  #status: SpanStatus = { code: SpanStatusCode.UNSET };
  #isEnded = false;

  constructor(
    name: string,
    { kind = SpanKind.INTERNAL, attributes = {} }: SpanOptions,
    place: { readonly context: SpanContext; readonly parentSpanId: string | undefined },
    onEnd: (span: EndedSpan) => void,
  ) {
    this.#name = name;
    this.#kind = kind;
    this.#context = place.context;
    this.#parentSpanId = place.parentSpanId;
    this.#onEnd = onEnd;
    this.setAttributes(attributes);
  }

  spanContext(): SpanContext {
    return this.#context;
  }
  isRecording(): boolean {
    return !this.#isEnded;
  }
  setAttribute(key: string, value: AttributeValue): this {
    if (!this.#isEnded) this.#attributes[key] = limited(value);
    return this;
  }
  setAttributes(attributes: Attributes): this {
    for (const [key, value] of Object.entries(attributes)) if (value !== undefined) this.setAttribute(key, value);
    return this;
  }
  setStatus(status: SpanStatus): this {
    this.#status = status;
    return this;
  }
  updateName(name: string): this {
    this.#name = name;
    return this;
  }
  // Events and links are not used here, and exceptions may name people.
  addEvent(_name: string, _attributes?: Attributes | TimeInput, _time?: TimeInput): this {
    return this;
  }
  addLink(_link: Link): this {
    return this;
  }
  addLinks(_links: Link[]): this {
    return this;
  }
  recordException(_exception: Exception, _time?: TimeInput): void {}
  end(_time?: TimeInput | HrTime): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#onEnd({
      name: this.#name,
      kind: this.#kind,
      context: this.#context,
      parentSpanId: this.#parentSpanId,
      start: this.#start,
      end: now(),
      attributes: this.#attributes,
      status: this.#status,
    });
  }
}

/** The lower half of a trace id as a number between 0 and 1: services that sample by it agree. */
const shareOf = (traceId: string): number => Number.parseInt(traceId.slice(-13), 16) / 2 ** 52;

export class SmallTracerProvider implements TracerProvider {
  readonly #tracer: Tracer;

  constructor(sampler: Sampler, onEnd: (span: EndedSpan) => void) {
    const startSpan = (name: string, options: SpanOptions, active: Context): Span => {
      const spanContext = options.root ? undefined : trace.getSpanContext(active);
      const parent = spanContext && isSpanContextValid(spanContext) ? spanContext : undefined;
      const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
      const isOurs = parent !== undefined && !parent.isRemote;
      // Within a trace the decision of its first span holds.
      const isSampled =
        isOurs || (parent && sampler.followsParent)
          ? (parent!.traceFlags & TraceFlags.SAMPLED) !== 0
          : shareOf(traceId) < sampler.ratio;
      const context = {
        traceId,
        spanId: randomBytes(8).toString('hex'),
        traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
        ...(parent?.traceState ? { traceState: parent.traceState } : {}),
      };
      if (!isSampled) return trace.wrapSpanContext(context);
      return new RecordedSpan(name, options, { context, parentSpanId: parent?.spanId }, onEnd);
    };
    this.#tracer = {
      startSpan: (name, options = {}, active = contextOf()) => startSpan(name, options, active),
      startActiveSpan: startActive(startSpan),
    };
  }

  getTracer(): Tracer {
    return this.#tracer;
  }
}

const contextOf = (): Context => contextApi.active();

type Work = (span: Span) => unknown;

/** The last argument is the work; options and context may come before it. */
function startActive(startSpan: (name: string, options: SpanOptions, active: Context) => Span): Tracer['startActiveSpan'] {
  return (name: string, ...rest: unknown[]) => {
    const work = rest.at(-1) as Work;
    const options = (rest.length > 1 ? rest[0] : {}) as SpanOptions;
    const parent = (rest.length > 2 ? rest[1] : contextOf()) as Context;
    const span = startSpan(name, options, parent);
    return contextApi.with(trace.setSpan(parent, span), work as never, undefined, span) as never;
  };
}
