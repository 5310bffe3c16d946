// Prometheus metrics, served on the internal port only.
export { databaseMetrics, registerDatabase, registerStandbys, standbyMetrics } from './database.ts';
export type { MetricDefinition, MetricDefinitions } from './definition.ts';
export { Histogram } from './histogram.ts';
export { createMetrics, type LabelledValues, type Metrics } from './metrics.ts';
export { processMetrics, registerProcess } from './process.ts';
export { type RequestTimes, requestTimes } from './request-times.ts';
export { answerPrimary, gatherFromWorkers, serveMetrics } from './serve.ts';
export { createTurns, type InTurn } from './turns.ts';
