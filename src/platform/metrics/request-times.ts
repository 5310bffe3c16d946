// Request durations by service, route and status. Counted in plain arrays and converted to Prometheus' format on a scrape: the library's
// own labelled histogram costs 30 microseconds per request, half of what an empty request costs.
import type { MetricDefinition } from './definition.ts';
import { Histogram, seriesOf } from './histogram.ts';

export const requestTimes = {
  name: 'http_request_duration_seconds',
  type: 'histogram',
  help: 'Time from the request line to the last byte of the answer',
  labels: {
    service: '`identity` or `wallet`',
    method: 'the method of the request',
    route: 'the path with names for its parameters, such as `/v3/users/:user_id`; `none` if there is no such route',
    status: 'the status of the answer',
  },
} as const satisfies MetricDefinition;

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly histogram: Histogram;
}

/** The request durations of one service. */
export class RequestTimes {
  readonly service: string;
  /** By route, method and status. Three look-ups with existing strings cost less than one with a newly built key. */
  readonly #routes = new Map<string, Map<string, Map<number, Series>>>();

  constructor(service: string) {
    this.service = service;
  }

  observe(method: string, route: string, status: number, milliseconds: number): void {
    const series = this.#routes.get(route)?.get(method)?.get(status) ?? this.#begin(method, route, status);
    series.histogram.observe(milliseconds / 1000);
  }

  #begin(method: string, route: string, status: number): Series {
    const labels = { service: this.service, method, route, status: String(status) };
    const series = { labels, histogram: new Histogram() };
    const methods = this.#routes.get(route) ?? new Map<string, Map<number, Series>>();
    const statuses = methods.get(method) ?? new Map<number, Series>();
    this.#routes.set(route, methods.set(method, statuses.set(status, series)));
    return series;
  }

  clear(): void {
    this.#routes.clear();
  }

  all(): Series[] {
    return [...this.#routes.values()].flatMap((methods) => [...methods.values()].flatMap((statuses) => [...statuses.values()]));
  }
}

/** The durations of all services in this process as one metric, in the format prom-client's registry expects. */
export class RequestTimesMetric {
  readonly name = requestTimes.name;
  readonly help = requestTimes.help;
  readonly type = requestTimes.type;
  readonly aggregator = 'sum';
  readonly #services: RequestTimes[] = [];

  of(service: string): RequestTimes {
    const times = new RequestTimes(service);
    this.#services.push(times);
    return times;
  }

  reset(): void {
    for (const times of this.#services) times.clear();
  }

  async get() {
    const { name, help, type, aggregator } = this;
    const series = this.#services.flatMap((times) => times.all());
    return { name, help, type, aggregator, values: series.flatMap(({ labels, histogram }) => seriesOf(name, labels, histogram)) };
  }
}
