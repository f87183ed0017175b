import type { Counter, Gauge, Histogram, HistogramOptions, Labels, MetricOptions } from "../contract.ts";
import { errors } from "../errors.ts";
import { formatLabels, formatNumber, formatSample, type MetricFamily } from "./exposition.ts";
import { Series } from "./series.ts";

/** Registers the function that reads a metric. `processLabels` are common to all samples of this process. */
export type Register = (name: string, read: (processLabels: string) => MetricFamily | Promise<MetricFamily>) => void;

/** Bucket bounds recommended by OpenTelemetry for the duration of HTTP requests, in seconds. */
const defaultBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Makes a counter or a gauge. Throws E_METRIC. */
export function makeCounterOrGauge(
  type: "counter" | "gauge",
  { name, help, labels: labelNames = [] }: MetricOptions<string>,
  register: Register,
): Counter<string> & Gauge<string> {
  checkMetric(name, labelNames);
  if (type === "counter" && !name.endsWith("_total")) throw errors.E_METRIC(name, "a counter must end in _total");
  const series = new Series(name, labelNames, () => ({ value: 0 }));
  register(name, (processLabels) => {
    const lines = Array.from(series.entries, ({ labels, state: { value } }) =>
      formatSample(name, [labels, processLabels], value),
    );
    return { name, type, help, lines };
  });
  return {
    add: (value: number, labels?: Labels<string>) => {
      if (type === "counter" && !(value >= 0 && value < Infinity)) {
        throw errors.E_METRIC_VALUE(name, value, "a counter accepts finite numbers of 0 or more");
      }
      series.stateOf(labels).value += value;
    },
    set: (value: number, labels?: Labels<string>) => {
      series.stateOf(labels).value = value;
    },
  };
}

/** Makes a histogram. Throws E_METRIC. */
export function makeHistogram(options: HistogramOptions<string>, register: Register): Histogram<string> {
  const { name, help, labels: labelNames = [], buckets = defaultBuckets } = options;
  checkMetric(name, labelNames);
  if (buckets.some((bound, index) => !(bound < Infinity && bound > (buckets[index - 1] ?? -Infinity)))) {
    throw errors.E_METRIC(name, "its buckets must be finite numbers in ascending order");
  }
  const boundLabels = buckets.map((bound) => formatLabels({ le: formatNumber(bound) }));
  const series = new Series(name, labelNames, () => ({ sum: 0, count: 0, counts: buckets.map(() => 0) }));
  register(name, (processLabels) => {
    const bucketName = `${name}_bucket`;
    const lines = [...series.entries].flatMap(({ labels, state: { sum, count, counts } }) => {
      let cumulativeCount = 0;
      return [
        ...boundLabels.map((boundLabel, index) => {
          cumulativeCount += counts[index] ?? 0;
          return formatSample(bucketName, [labels, processLabels, boundLabel], cumulativeCount);
        }),
        formatSample(bucketName, [labels, processLabels, formatLabels({ le: "+Inf" })], count),
        formatSample(`${name}_sum`, [labels, processLabels], sum),
        formatSample(`${name}_count`, [labels, processLabels], count),
      ];
    });
    return { name, type: "histogram", help, lines };
  });
  return {
    observe: (value: number, labels?: Labels<string>) => {
      if (!Number.isFinite(value)) throw errors.E_METRIC_VALUE(name, value, "a histogram accepts finite numbers");
      const state = series.stateOf(labels);
      let index = 0;
      while (index < buckets.length && value > (buckets[index] ?? Infinity)) index++;
      // A value above the last bound counts only in `count`, the bucket `+Inf`.
      if (index < buckets.length) state.counts[index] = (state.counts[index] ?? 0) + 1;
      state.sum += value;
      state.count += 1;
    },
  };
}

/** Throws E_METRIC for a name or label that is invalid in Prometheus or reserved. */
export function checkMetric(name: string, labels: readonly string[] = []): void {
  if (!/^[a-zA-Z_][\w]*$/.test(name)) {
    throw errors.E_METRIC(name, "its name must have letters, digits and underscores, and not begin with a digit");
  }
  for (const label of labels) {
    if (!/^(?!__)[a-zA-Z_]\w*$/.test(label)) {
      throw errors.E_METRIC(
        name,
        `its label "${label}" must have letters, digits and underscores, and begin with neither a digit nor two underscores`,
      );
    }
    if (["le", "worker", "job", "instance"].includes(label)) {
      throw errors.E_METRIC(name, `its label "${label}" is reserved for Prometheus or the framework; choose another`);
    }
  }
  if (new Set(labels).size < labels.length) throw errors.E_METRIC(name, "it has a duplicate label");
}
