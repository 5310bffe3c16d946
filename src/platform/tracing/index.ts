// Traces with OpenTelemetry's API: off by default, and without cost then. platform/otlp turns them on.
export {
  inSpan,
  isTracing,
  type RequestSpan,
  type SpanOptions,
  startRequestSpan,
  traceHeaders,
  turnOff,
  turnOn,
} from './spans.ts';
