import type { Counter, Gauge, Histogram, HistogramOptions, Labels, MetricOptions } from "./contract.ts";
import { errors } from "./errors.ts";
import { type Family, labelText, line, numberText } from "./exposition.ts";
import { Series } from "./series.ts";

/** A metric, and how it is written; `own` is the text of the labels that all lines of this process have. */
export interface Metric<Kind> {
  readonly kind: Kind;
  readonly read: (own: string) => Family;
}

/** The buckets that OpenTelemetry advises for the duration of HTTP requests, in seconds. */
const standardBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** A counter or a gauge. Throws E_METRIC. */
export function makeNumber(
  type: "counter" | "gauge",
  { name, help, labels = [] }: MetricOptions<string>,
): Metric<Counter<string> & Gauge<string>> {
  check(name, labels);
  if (type === "counter" && !name.endsWith("_total")) throw errors.E_METRIC(name, "a counter ends in _total");
  const series = new Series(name, labels, () => ({ value: 0 }));
  return {
    kind: {
      add: (value: number, given?: Labels<string>) => {
        if (type === "counter" && !(value >= 0 && value < Infinity)) {
          throw errors.E_METRIC_VALUE(name, value, "a counter grows by finite numbers, 0 or more");
        }
        series.at(given).value += value;
      },
      set: (value: number, given?: Labels<string>) => {
        series.at(given).value = value;
      },
    },
    read: (own) => {
      const lines = [...series.entries].map(({ text, state: { value } }) => line(name, [text, own], value));
      return { name, type, help, lines };
    },
  };
}

/** Throws E_METRIC. */
export function makeHistogram(options: HistogramOptions<string>): Metric<Histogram<string>> {
  const { name, help, labels = [], buckets = standardBuckets } = options;
  check(name, labels);
  if (buckets.some((end, at) => !(end < Infinity && end > (buckets[at - 1] ?? -Infinity)))) {
    throw errors.E_METRIC(name, "its buckets are finite numbers, each above the one before");
  }
  const ends = buckets.map((end) => labelText({ le: numberText(end) }));
  const series = new Series(name, labels, () => ({ sum: 0, count: 0, counts: buckets.map(() => 0) }));
  return {
    kind: {
      observe: (value: number, given?: Labels<string>) => {
        if (!Number.isFinite(value)) throw errors.E_METRIC_VALUE(name, value, "a histogram counts finite numbers");
        const state = series.at(given);
        let at = 0;
        while (at < buckets.length && value > (buckets[at] as number)) at++;
        // Above the last one: the count alone tells.
        if (at < buckets.length) state.counts[at] = (state.counts[at] as number) + 1;
        state.sum += value;
        state.count += 1;
      },
    },
    read: (own) => {
      const lines = [...series.entries].flatMap(({ text, state: { sum, count, counts } }) => {
        let below = 0;
        const bucket = `${name}_bucket`;
        return [
          ...ends.map((end, at) => line(bucket, [text, own, end], (below += counts[at] as number))),
          line(bucket, [text, own, labelText({ le: "+Inf" })], count),
          line(`${name}_sum`, [text, own], sum),
          line(`${name}_count`, [text, own], count),
        ];
      });
      return { name, type: "histogram", help, lines };
    },
  };
}

/** Throws E_METRIC for a name or a label that Prometheus would not take, or that it sets itself. */
export function check(name: string, labels: readonly string[] = []): void {
  if (!/^[a-zA-Z_][\w]*$/.test(name)) {
    throw errors.E_METRIC(name, "its name must be letters, digits and underscores, not beginning with a digit");
  }
  for (const label of labels) {
    if (!/^(?!__)[a-zA-Z_]\w*$/.test(label)) {
      throw errors.E_METRIC(
        name,
        `its label "${label}" must be letters, digits and underscores, beginning with neither a digit nor two underscores`,
      );
    }
    if (["le", "worker", "job", "instance"].includes(label)) {
      throw errors.E_METRIC(name, `its label "${label}" is one that Prometheus or the framework sets: choose another`);
    }
  }
  if (new Set(labels).size < labels.length) throw errors.E_METRIC(name, "two of its labels are the same");
}
