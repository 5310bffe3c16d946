// Turns traces on, by the standard settings of OpenTelemetry (OTEL_*).
import * as api from '@opentelemetry/api';
import { ConfigError } from '../config/index.ts';
import type { Log } from '../log/index.ts';
import { createOutbound, hostPort } from '../outbound/index.ts';
import { turnOff, turnOn } from '../tracing/index.ts';
import { AsyncContext, TraceParent } from './context.ts';
import { createOtlpExporter } from './exporter.ts';
import { type Sampler, SmallTracerProvider } from './provider.ts';

const DEFAULT_ENDPOINT = 'http://localhost:4318';

export interface TracingSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampler: Sampler;
}

export interface Tracing {
  /** Sends what waits. */
  stop(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `key=value,key=value`, with percent-encoding (W3C Baggage), as OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES have it. */
function pairsIn(env: Environment, name: string): Record<string, string> {
  const pairs = (env[name] ?? '').split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key, ...value] = pair.split('=');
      // Without the value: it may be a secret.
      if (value.length === 0) throw new ConfigError(`${name}: must be key=value, comma-separated`);
      return [key!.trim(), decodeURIComponent(value.join('=').trim())];
    }),
  );
}

const SAMPLERS: Readonly<Record<string, (ratio: number) => Sampler>> = {
  always_on: () => ({ ratio: 1, followsParent: false }),
  always_off: () => ({ ratio: 0, followsParent: false }),
  traceidratio: (ratio) => ({ ratio, followsParent: false }),
  parentbased_always_on: () => ({ ratio: 1, followsParent: true }),
  parentbased_always_off: () => ({ ratio: 0, followsParent: true }),
  parentbased_traceidratio: (ratio) => ({ ratio, followsParent: true }),
};

function samplerIn(env: Environment): Sampler {
  const name = env.OTEL_TRACES_SAMPLER || 'parentbased_always_on';
  const ratio = Number(env.OTEL_TRACES_SAMPLER_ARG || 1);
  const sampler = Object.hasOwn(SAMPLERS, name) ? SAMPLERS[name]! : undefined;
  if (!sampler) throw new ConfigError(`OTEL_TRACES_SAMPLER: must be one of ${Object.keys(SAMPLERS).join(', ')}, not "${name}"`);
  if (!(ratio >= 0 && ratio <= 1)) throw new ConfigError('OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1');
  return sampler(ratio);
}

export function tracingSettingsOf(env: Environment, version: string): TracingSettings {
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/json';
  if (protocol !== 'http/json')
    throw new ConfigError(`OTEL_EXPORTER_OTLP_PROTOCOL: only http/json is spoken here, not "${protocol}"`);
  const base = (env.OTEL_EXPORTER_OTLP_ENDPOINT || DEFAULT_ENDPOINT).replace(/\/$/, '');
  const url = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || `${base}/v1/traces`;
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new ConfigError('OTEL_EXPORTER_OTLP_ENDPOINT: must be an http(s) URL, such as http://localhost:4318');
  const headers = { ...pairsIn(env, 'OTEL_EXPORTER_OTLP_HEADERS'), ...pairsIn(env, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS') };
  const resource = {
    'service.name': 'gatehouse',
    'service.version': version,
    ...pairsIn(env, 'OTEL_RESOURCE_ATTRIBUTES'),
    ...(env.OTEL_SERVICE_NAME ? { 'service.name': env.OTEL_SERVICE_NAME } : {}),
  };
  return { url, headers, resource, sampler: samplerIn(env) };
}

/** With an SDK that is registered already, its spans are made; otherwise by the small one here. */
export function startTracing(settings: TracingSettings, log: Log): Tracing {
  const { url, headers, resource, sampler } = settings;
  const { context, propagation, trace } = api;
  // The operator named the collector, so its address is always allowed.
  const outbound = createOutbound([hostPort(url)], { traces: 'none' });
  const exporter = createOtlpExporter({ url, headers, resource, outbound, log });
  const isOurs = trace.setGlobalTracerProvider(new SmallTracerProvider(sampler, exporter.add));
  if (isOurs) {
    context.setGlobalContextManager(new AsyncContext());
    propagation.setGlobalPropagator(new TraceParent());
  }
  turnOn(api);
  return {
    async stop() {
      turnOff();
      await exporter.stop();
      if (!isOurs) return;
      trace.disable();
      context.disable();
      propagation.disable();
    },
  };
}
