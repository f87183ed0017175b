import type { Service } from "../../core/index.ts";

/** Values of the labels of a metric. */
export type Labels<Name extends string> = Readonly<Record<Name, string | number>>;

/** Arguments for the labels of a metric: none for a metric without labels. */
export type LabelArguments<Name extends string> = [Name] extends [never]
  ? readonly []
  : readonly [labels: Labels<Name>];

/** Options of every metric. */
export interface MetricOptions<Name extends string = never> {
  /**
   * Name, unique among all metrics: lower case, the application or subsystem first, the base unit last, `_total` for a
   * counter: `shop_orders_total`, `shop_import_duration_seconds`.
   */
  readonly name: string;
  /** Description, in one sentence. */
  readonly help: string;
  /** Names of the labels. Default: none. */
  readonly labels?: readonly Name[];
}

/** Options of a histogram. */
export interface HistogramOptions<Name extends string = never> extends MetricOptions<Name> {
  /** Upper bounds of the buckets, ascending. Default: the bounds of OpenTelemetry for seconds, from 5 ms to 10 s. */
  readonly buckets?: readonly number[];
}

/** A value that only increases. */
export interface Counter<Name extends string = never> {
  /** Increases the value. Throws E_METRIC_VALUE for a negative or non-finite number. */
  add(value: number, ...labels: LabelArguments<Name>): void;
}

/** A value that goes up and down. */
export interface Gauge<Name extends string = never> {
  set(value: number, ...labels: LabelArguments<Name>): void;
  /** Increases the value, or decreases it by a negative number. */
  add(value: number, ...labels: LabelArguments<Name>): void;
}

/** A distribution of values, counted in buckets. */
export interface Histogram<Name extends string = never> {
  /** Counts a value, in the unit of the name. Throws E_METRIC_VALUE for a non-finite number. */
  observe(value: number, ...labels: LabelArguments<Name>): void;
}

/**
 * Metrics of a running application in the Prometheus format: of the process, of the other services, and of the application.
 *
 * A metric has at most 2,000 series (sets of label values), so that no client can exhaust the memory. Values of further
 * series are counted with the value `other` for every label, and a warning is logged. Use labels with few values.
 *
 * All four constructors throw E_METRIC for an invalid name, label or bucket, and E_METRIC_TAKEN for a name in use.
 */
export interface MetricsService extends Service.Service {
  counter<const Name extends string = never>(options: MetricOptions<Name>): Counter<Name>;
  gauge<const Name extends string = never>(options: MetricOptions<Name>): Gauge<Name>;
  histogram<const Name extends string = never>(options: HistogramOptions<Name>): Histogram<Name>;
  /** Declares a gauge. `read` is called each time the metrics are read: it must be fast and free of side effects. */
  observableGauge(options: Omit<MetricOptions, "labels"> & { readonly read: () => number | Promise<number> }): void;
  /**
   * Returns all current metrics in the Prometheus text format 0.0.4. In a process started by `server --workers`, it includes
   * the metrics of all workers, each with the label `worker`.
   *
   * A metric that fails, or takes longer than 2 s, is omitted and logged.
   */
  text(): Promise<string>;
}
