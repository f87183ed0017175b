import type { Service } from "../../core/index.ts";

/** A metric as it is written: what it is, and its lines. */
export interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly lines: readonly string[];
}

/** The media type of the text format, version 0.0.4: <https://prometheus.io/docs/instrumenting/exposition_formats/>. */
export const mediaType = "text/plain; version=0.0.4; charset=utf-8";

/** Labels as they stand between braces: `route="/",method="GET"`. */
export function labelText(labels: Readonly<Record<string, string | number>>): string {
  return Object.entries(labels)
    .map(([name, value]) => label(name, value))
    .join(",");
}

/** One label. */
export const label = (name: string, value: string | number): string => `${name}="${escaped(String(value))}"`;

function escaped(value: string): string {
  if (!/[\\"\n]/.test(value)) return value.toWellFormed();
  return value.toWellFormed().replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

/** A line. The labels are texts as `labelText` makes them; empty ones are left out. */
export function line(name: string, labels: readonly string[], value: number): string {
  const given = labels.filter((text) => text !== "").join(",");
  return `${name}${given === "" ? "" : `{${given}}`} ${numberText(value)}\n`;
}

/** A number as Prometheus reads it. */
export const numberText = (value: number): string =>
  Math.abs(value) === Infinity ? (value > 0 ? "+Inf" : "-Inf") : String(value);

/** What a service measured, with some more labels. */
export function familyOf({ name, type, help, samples }: Service.Measurement, own: string): Family {
  return {
    name,
    type,
    help,
    lines: samples.map(({ value, labels = {} }) => line(name, [labelText(labels), own], value)),
  };
}

/** The text of all. Those of one name are one: they come from several services, or from several processes. */
export function exposition(families: readonly Family[]): string {
  const byName = Map.groupBy(families, ({ name }) => name);
  let text = "";
  for (const [name, same] of byName) {
    const [{ type, help } = { type: "gauge", help: "" }] = same;
    const lines = same.flatMap((family) => family.lines);
    if (lines.length === 0) continue;
    const told = help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
    text += `# HELP ${name} ${told}\n# TYPE ${name} ${type}\n${lines.join("")}`;
  }
  return text;
}
