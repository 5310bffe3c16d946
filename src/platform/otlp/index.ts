// Turns traces on: a small SDK for OpenTelemetry's API that sends spans by OTLP.
export { startTracing, type Tracing, tracingSettingsOf } from './tracing.ts';
