import type { Service } from "../../../core/index.ts";

/** A metric with its formatted samples. */
export interface MetricFamily {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** Lines of the text format, each with its line feed. */
  readonly lines: readonly string[];
}

/** Media type of the text format, version 0.0.4: <https://prometheus.io/docs/instrumenting/exposition_formats/>. */
export const expositionMediaType = "text/plain; version=0.0.4; charset=utf-8";

/** Formats labels without braces: `route="/",method="GET"`. */
export function formatLabels(labels: Readonly<Record<string, string | number>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escapeLabelValue(String(value))}"`)
    .join(",");
}

function escapeLabelValue(value: string): string {
  if (!/[\\"\n]/.test(value)) return value.toWellFormed();
  return value.toWellFormed().replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** Formats a sample as a line. The labels are formatted by `formatLabels`; empty ones are omitted. */
export function formatSample(name: string, labels: readonly string[], value: number): string {
  const labelList = labels.filter((text) => text !== "").join(",");
  return `${name}${labelList === "" ? "" : `{${labelList}}`} ${formatNumber(value)}\n`;
}

/** Formats a number for Prometheus. */
export const formatNumber = (value: number): string =>
  Math.abs(value) === Infinity ? (value > 0 ? "+Inf" : "-Inf") : String(value);

/** Converts a metric of a service, with the common labels of this process. */
export function toFamily({ name, type, help, samples }: Service.Metric, processLabels: string): MetricFamily {
  return {
    name,
    type,
    help,
    lines: samples.map(({ value, labels = {} }) => formatSample(name, [formatLabels(labels), processLabels], value)),
  };
}

/** Formats metrics. Families of the same name, from several services or processes, are merged. */
export function formatFamilies(families: readonly MetricFamily[]): string {
  const familiesByName = Map.groupBy(families, ({ name }) => name);
  let text = "";
  for (const [name, sameName] of familiesByName) {
    const [{ type, help } = { type: "gauge", help: "" }] = sameName;
    const lines = sameName.flatMap((family) => family.lines);
    if (lines.length === 0) continue;
    const escapedHelp = help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
    text += `# HELP ${name} ${escapedHelp}\n# TYPE ${name} ${type}\n${lines.join("")}`;
  }
  return text;
}
