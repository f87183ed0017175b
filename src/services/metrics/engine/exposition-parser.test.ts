// Strict parser of the text format 0.0.4, for tests. Contains no tests.
import assert from "node:assert/strict";

/** A sample of a metric. */
export interface Line {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with its samples. */
export interface Parsed {
  readonly type: string;
  readonly help: string;
  readonly lines: Line[];
}

const number = /^(?:[+-]Inf|NaN|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/** Parses metrics by name. Fails for text that Prometheus would refuse or misinterpret. */
export function parse(text: string): ReadonlyMap<string, Parsed> {
  const metrics = new Map<string, Parsed>();
  const seen = new Set<string>();
  let current: string | undefined;
  assert.ok(text === "" || text.endsWith("\n"), "it ends with a line break");
  const rows = text.split("\n").slice(0, -1);
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? "";
    const help = /^# HELP (\w+) ((?:[^\\]|\\[\\n])*)$/.exec(row);
    if (help !== null) {
      const [, name = "", told = ""] = help;
      const type = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(rows[++at] ?? "");
      assert.equal(type?.[1], name, `a type follows the help of ${name}`);
      assert.ok(!metrics.has(name), `${name} stands in one place`);
      metrics.set(name, { type: type?.[2] ?? "", help: told, lines: [] });
      current = name;
      continue;
    }
    const line = lineOf(row);
    const metric = metrics.get(current ?? "");
    assert.ok(metric !== undefined, row);
    const suffix = metric.type === "histogram" ? /^_(?:bucket|sum|count)$/ : /^$/;
    assert.ok(line.name.startsWith(current ?? "") && suffix.test(line.name.slice(current?.length)), row);
    const key = JSON.stringify([line.name, sorted(line.labels)]);
    assert.ok(!seen.has(key), `twice: ${row}`);
    seen.add(key);
    metric.lines.push(line);
  }
  for (const [name, metric] of metrics) if (metric.type === "histogram") checkHistogram(name, metric);
  return metrics;
}

function lineOf(row: string): Line {
  const found = /^([a-zA-Z_]\w*)(?:\{([^]*)\})? (\S+)$/.exec(row);
  assert.ok(found !== null, row);
  const [, name = "", inside, value = ""] = found;
  assert.match(value, number, row);
  const labels: Record<string, string> = {};
  let rest = inside ?? "";
  assert.ok(inside === undefined || rest !== "", `empty braces: ${row}`);
  while (rest !== "") {
    const label = /^([a-zA-Z_]\w*)="((?:[^"\\]|\\[\\"n])*)"(?:,(?=[^])|$)/.exec(rest);
    assert.ok(label !== null && !((label[1] ?? "") in labels), row);
    labels[label[1] ?? ""] = (label[2] ?? "").replaceAll(/\\([^])/g, (_, mark) => (mark === "n" ? "\n" : mark));
    rest = rest.slice(label[0].length);
  }
  return { name, labels, value: value.endsWith("Inf") ? Number(`${value[0]}Infinity`) : Number(value) };
}

/** Asserts that the buckets of each series ascend, and that the last one is `+Inf` and equals the count. */
function checkHistogram(name: string, { lines }: Parsed): void {
  const sets = Map.groupBy(lines, ({ labels }) => sorted({ ...labels, le: "" }));
  for (const [labels, set] of sets) {
    const buckets = set.filter((line) => line.name === `${name}_bucket`);
    const ends = buckets.map(({ labels: { le = "" } }) => (le === "+Inf" ? Infinity : Number(le)));
    assert.deepEqual(
      ends,
      ends.toSorted((a, b) => a - b),
      labels,
    );
    assert.equal(ends.at(-1), Infinity, labels);
    const counts = buckets.map(({ value }) => value);
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
      labels,
    );
    const count = set.filter((line) => line.name === `${name}_count`);
    assert.deepEqual([count.length, count[0]?.value], [1, counts.at(-1)], labels);
    assert.equal(set.filter((line) => line.name === `${name}_sum`).length, 1, labels);
  }
}

const sorted = (labels: Readonly<Record<string, string>>): string =>
  JSON.stringify(
    Object.keys(labels)
      .toSorted()
      .map((name) => [name, labels[name]]),
  );

/** Returns the value of the sample with exactly these labels, or `undefined`. */
export function valueOf(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
  const lines = [...parse(text).values()].flatMap((metric) => metric.lines);
  return lines.find((line) => line.name === name && sorted(line.labels) === sorted(labels))?.value;
}
