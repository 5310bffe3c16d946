// Request durations by service, route and status. Counted in plain arrays and converted to Prometheus' format on a scrape: the library's
// own labelled histogram costs 30 microseconds per request, half of what an empty request costs.

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly counts: number[];
  sum: number;
}

/** The request durations of one service. */
export class RequestTimes {
  readonly #service: string;
  /** By route, method and status. Three look-ups with existing strings cost less than one with a newly built key. */
  readonly #routes = new Map<string, Map<string, Map<number, Series>>>();

  constructor(service: string) {
    this.#service = service;
  }

  observe(method: string, route: string, status: number, milliseconds: number): void {
    const series = this.#routes.get(route)?.get(method)?.get(status) ?? this.#begin(method, route, status);
    const value = milliseconds / 1000;
    let bucket = 0;
    while (bucket < BUCKETS.length && value > BUCKETS[bucket]!) bucket++;
    series.counts[bucket]!++;
    series.sum += value;
  }

  #begin(method: string, route: string, status: number): Series {
    const labels = { service: this.#service, method, route, status: String(status) };
    const series = { labels, counts: new Array(BUCKETS.length + 1).fill(0), sum: 0 };
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
  readonly name = 'http_request_duration_seconds';
  readonly help = 'Time from the request line to the last byte of the answer';
  readonly type = 'histogram';
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
    const values = this.#services
      .flatMap((times) => times.all())
      .flatMap(({ labels, counts, sum }) => {
        let total = 0;
        const buckets = counts.map((count, index) => {
          total += count;
          return { metricName: `${this.name}_bucket`, labels: { ...labels, le: BUCKETS[index] ?? '+Inf' }, value: total };
        });
        return [
          ...buckets,
          { metricName: `${this.name}_sum`, labels, value: sum },
          { metricName: `${this.name}_count`, labels, value: total },
        ];
      });
    return { name: this.name, help: this.help, type: this.type, aggregator: this.aggregator, values };
  }
}
