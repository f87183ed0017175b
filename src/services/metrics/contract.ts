import type { Service } from "../../core/index.ts";

/** A value for each of a metric's labels. */
export type Labels<Name extends string> = Readonly<Record<Name, string | number>>;

/** The values of the labels; nothing for a metric without labels. */
export type LabelArguments<Name extends string> = [Name] extends [never]
  ? readonly []
  : readonly [labels: Labels<Name>];

/** What every metric is declared with. */
export interface MetricOptions<Name extends string = never> {
  /**
   * Unique among all metrics: lower case, the application or the thing first, the base unit at the end, `_total` for a
   * counter: `shop_orders_total`, `shop_import_duration_seconds`.
   */
  readonly name: string;
  /** One sentence: what it counts. */
  readonly help: string;
  /** What it is counted by. Default nothing. */
  readonly labels?: readonly Name[];
}

/** What a histogram is declared with. */
export interface HistogramOptions<Name extends string = never> extends MetricOptions<Name> {
  /** The upper ends of its buckets, rising. Default for seconds: those of OpenTelemetry, from 5 ms to 10 s. */
  readonly buckets?: readonly number[];
}

/** What a gauge is declared with that is asked for its value. */
export interface ObservableGaugeOptions extends Omit<MetricOptions, "labels"> {
  /** Its value at present. Asked each time that the metrics are read: quick, and changes nothing. */
  readonly read: () => number | Promise<number>;
}

/** Counts what happens: only ever more. */
export interface Counter<Name extends string = never> {
  /** Counts so many more. Throws E_METRIC_VALUE for less than 0, and for what is no finite number. */
  add(value: number, ...labels: LabelArguments<Name>): void;
}

/** A value that goes up and down. */
export interface Gauge<Name extends string = never> {
  set(value: number, ...labels: LabelArguments<Name>): void;
  /** Goes up by so much, or down where it is less than 0. */
  add(value: number, ...labels: LabelArguments<Name>): void;
}

/** Counts values by their size, so that one can tell later how many were below a limit. */
export interface Histogram<Name extends string = never> {
  /** Counts a value, in the unit of the name. Throws E_METRIC_VALUE for what is no finite number. */
  observe(value: number, ...labels: LabelArguments<Name>): void;
}

/**
 * Figures about a running application, for Prometheus and all that read its format: those of the process, those that
 * other services give of themselves, and the application's own.
 *
 * A metric keeps at most 2,000 sets of label values, so that no client can fill the memory; what comes with a further one
 * is counted under the value `other` for every label, and a warning is logged. Declare labels for what has few values.
 *
 * All four throw E_METRIC for a name, label or bucket that is not right, E_METRIC_TAKEN for a name that is in use.
 */
export interface MetricsService extends Service.Service {
  counter<const Name extends string = never>(options: MetricOptions<Name>): Counter<Name>;
  gauge<const Name extends string = never>(options: MetricOptions<Name>): Gauge<Name>;
  histogram<const Name extends string = never>(options: HistogramOptions<Name>): Histogram<Name>;
  observableGauge(options: ObservableGaugeOptions): void;
  /**
   * All figures at present, in the text format 0.0.4 of Prometheus. In a process that `server --workers` started, those of
   * all workers, each with the label `worker`.
   *
   * What fails, or takes longer than 2 s, is left out and logged.
   */
  text(): Promise<string>;
}
