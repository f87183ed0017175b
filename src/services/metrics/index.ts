export type {
  Counter,
  Gauge,
  Histogram,
  HistogramOptions,
  LabelArguments,
  Labels,
  MetricOptions,
  MetricsService,
} from "./contract.ts";
export { service } from "./service.ts";
export * as Web from "./web/metrics.ts";
