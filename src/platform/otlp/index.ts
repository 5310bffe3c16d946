// Turns traces on, and is loaded only then: a small SDK for OpenTelemetry's API that sends spans by OTLP.
export { startTracing, type Tracing, tracingSettingsOf } from './tracing.ts';
