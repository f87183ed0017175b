import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { App } from "../../app/index.ts";
import { Service } from "../../core/index.ts";
import { capturedLog, configuration, fakeClock, waitFor } from "../../testing/index.ts";
import { parse, valueOf } from "./engine/exposition-parser.test.ts";
import { service } from "./index.ts";

describe("instruments", () => {
  test("a counter starts at 0 and increases", async () => {
    const metrics = service();
    const orders = metrics.counter({ name: "shop_orders_total", help: "Orders placed" });
    assert.equal(valueOf(await metrics.text(), "shop_orders_total"), 0);
    orders.add(1);
    orders.add(0.5);
    const text = await metrics.text();
    assert.equal(
      text,
      "# HELP shop_orders_total Orders placed\n# TYPE shop_orders_total counter\nshop_orders_total 1.5\n",
    );
  });

  test("counters and histograms refuse invalid values", () => {
    const metrics = service();
    const counter = metrics.counter({ name: "a_total", help: "" });
    const histogram = metrics.histogram({ name: "b_seconds", help: "" });
    for (const value of [-1, Number.NaN, Infinity]) {
      assert.throws(() => counter.add(value), { code: "E_METRIC_VALUE", message: /"a_total"/ });
    }
    for (const value of [Number.NaN, Infinity, -Infinity]) {
      assert.throws(() => histogram.observe(value), { code: "E_METRIC_VALUE", message: /"b_seconds"/ });
    }
  });

  test("labels distinguish series, in any order, with numbers as text", async () => {
    const metrics = service();
    const sold = metrics.counter({ name: "sold_total", help: "", labels: ["country", "year"] });
    sold.add(1, { country: "ch", year: 2026 });
    sold.add(1, { year: "2026", country: "ch" });
    sold.add(1, { country: "at", year: 2026 });
    const text = await metrics.text();
    assert.equal(valueOf(text, "sold_total", { country: "ch", year: "2026" }), 2);
    assert.equal(valueOf(text, "sold_total", { country: "at", year: "2026" }), 1);
  });

  test("any label value and help text is escaped correctly", async () => {
    const metrics = service();
    const nasty = ['"', "\\", "\n", '\\"\n\\n', "}", '",x="', "a,b", "", "é\u0000\u2028", "\ud800"];
    const counter = metrics.counter({ name: "nasty_total", help: "one\\two\nthree", labels: ["text"] });
    for (const [at, text] of nasty.entries()) counter.add(at + 1, { text });
    // Every lone surrogate becomes the same replacement character in UTF-8.
    counter.add(100, { text: "\udbff" });
    const { lines, help } = parse(await metrics.text()).get("nasty_total") ?? assert.fail();
    assert.equal(help, "one\\\\two\\nthree");
    assert.deepEqual(
      lines.map(({ labels, value }) => [labels["text"], value]),
      nasty.map((text, at) => [text.toWellFormed(), text === "\ud800" ? at + 101 : at + 1]),
    );
  });

  test("a gauge goes up and down and accepts any number", async () => {
    const metrics = service();
    const gauge = metrics.gauge({ name: "stock", help: "", labels: ["shelf"] });
    gauge.set(5, { shelf: "a" });
    gauge.add(-7, { shelf: "a" });
    gauge.set(-Infinity, { shelf: "b" });
    gauge.set(Number.NaN, { shelf: "c" });
    const text = await metrics.text();
    const values = ["a", "b", "c"].map((shelf) => valueOf(text, "stock", { shelf }));
    assert.deepEqual(values, [-2, -Infinity, Number.NaN]);
  });

  test("a histogram counts each value in all buckets with a bound at or above it", async () => {
    const metrics = service();
    const histogram = metrics.histogram({ name: "size_bytes", help: "", labels: ["of"], buckets: [1, 10, 100] });
    for (const value of [0, 1, 1.5, 10, 11, 100, 101]) histogram.observe(value, { of: "x" });
    const text = await metrics.text();
    const bucket = (le: string): number | undefined => valueOf(text, "size_bytes_bucket", { of: "x", le });
    assert.deepEqual(["1", "10", "100", "+Inf"].map(bucket), [2, 4, 6, 7]);
    assert.equal(valueOf(text, "size_bytes_sum", { of: "x" }), 224.5);
    assert.equal(valueOf(text, "size_bytes_count", { of: "x" }), 7);
  });

  test("an observable gauge is read with each request for the metrics", async () => {
    const metrics = service();
    let value = 1;
    metrics.observableGauge({ name: "carts", help: "", read: async () => value });
    assert.equal(valueOf(await metrics.text(), "carts"), 1);
    value = 2;
    assert.equal(valueOf(await metrics.text(), "carts"), 2);
  });
});

describe("a metric has at most 2,000 series", () => {
  test("and counts further label values as other, with one warning", async () => {
    using log = capturedLog("warning");
    const metrics = service();
    const counter = metrics.counter({ name: "by_path_total", help: "", labels: ["path", "method"] });
    for (let round = 0; round < 2; round++) {
      for (let at = 0; at < 10_000; at++) counter.add(1, { path: `/${at}`, method: "GET" });
    }
    const { lines = [] } = parse(await metrics.text()).get("by_path_total") ?? {};
    assert.equal(lines.length, 2001);
    assert.deepEqual(lines.at(-1)?.labels, { path: "other", method: "other" });
    assert.equal(lines.at(-1)?.value, 16_000);
    assert.equal(
      lines.reduce((sum, { value }) => sum + value, 0),
      20_000,
    );
    assert.deepEqual(log.messages(), [
      'The metric "by_path_total" has too many sets of label values; further ones are counted as "other"',
    ]);
  });
});

describe("the declaration of a metric", () => {
  test("refuses a duplicate name, also of another kind", () => {
    const metrics = service();
    metrics.counter({ name: "a_total", help: "" });
    assert.throws(() => metrics.gauge({ name: "a_total", help: "" }), { code: "E_METRIC_TAKEN" });
    assert.throws(() => metrics.observableGauge({ name: "a_total", help: "", read: () => 1 }), {
      code: "E_METRIC_TAKEN",
    });
  });

  test("refuses invalid names, labels and buckets", () => {
    const metrics = service();
    const wrong = [
      () => metrics.gauge({ name: "1a", help: "" }),
      () => metrics.gauge({ name: "a-b", help: "" }),
      () => metrics.observableGauge({ name: "a b", help: "", read: () => 1 }),
      () => metrics.counter({ name: "a", help: "" }),
      () => metrics.gauge({ name: "a", help: "", labels: ["__b"] }),
      () => metrics.gauge({ name: "a", help: "", labels: ["b c"] }),
      () => metrics.gauge({ name: "a", help: "", labels: ["worker"] }),
      () => metrics.histogram({ name: "a", help: "", labels: ["le"] }),
      () => metrics.gauge({ name: "a", help: "", labels: ["b", "b"] }),
      () => metrics.histogram({ name: "a", help: "", buckets: [1, 1] }),
      () => metrics.histogram({ name: "a", help: "", buckets: [2, 1] }),
      () => metrics.histogram({ name: "a", help: "", buckets: [1, Infinity] }),
      () => metrics.histogram({ name: "a", help: "", buckets: [Number.NaN] }),
    ];
    for (const declare of wrong) assert.throws(declare, { code: "E_METRIC" }, String(declare));
    metrics.gauge({ name: "a", help: "" });
  });

  test("types the labels", () => {
    const metrics = service();
    const plain = metrics.counter({ name: "a_total", help: "" });
    const labelled = metrics.counter({ name: "b_total", help: "", labels: ["x"] });
    const add = (...given: Parameters<typeof plain.add>): void => plain.add(...given);
    type Given = Parameters<typeof labelled.add>[1];
    const given: Given = { x: 1 };
    labelled.add(1, given);
    add(1);
    // @ts-expect-error -- a label that was not declared
    const other: Given = { y: 1 };
    assert.ok(other);
  });
});

describe("metrics of services and of the process", () => {
  test("metrics of services are included; equal names are merged", async () => {
    using _ = configuration({ FRAMEWORK_ENV: "test" });
    const metrics = service();
    const shelf = (name: string, value: number): Service.Service =>
      Service.make({
        name,
        measure: () => [{ name: "shelf_items", type: "gauge", help: "Items", samples: [{ value, labels: { name } }] }],
      });
    const app = App.create({ services: [metrics, shelf("a", 1), shelf("b", 2)] });
    await app.start({ server: false });
    const text = await metrics.text();
    await app.stop();
    assert.equal(valueOf(text, "shelf_items", { name: "a" }), 1);
    assert.equal(valueOf(text, "shelf_items", { name: "b" }), 2);
  });

  test("a metric that fails or takes longer than 2 s is omitted and logged, without effect on others", async () => {
    using _ = configuration({ FRAMEWORK_ENV: "test" });
    using log = capturedLog("warning");
    using clock = fakeClock();
    const metrics = service();
    const broken = (): never => {
      throw new Error("the disk is away");
    };
    const never = (): Promise<never> => new Promise(() => {});
    metrics.gauge({ name: "fine", help: "" }).set(1);
    metrics.observableGauge({ name: "broken", help: "", read: broken });
    metrics.observableGauge({ name: "late", help: "", read: never });
    const services = [Service.make({ name: "a", measure: broken }), Service.make({ name: "b", measure: never })];
    await metrics.start({ services });
    try {
      const reading = metrics.text();
      assert.equal(metrics.text(), reading, "however many ask, it is read once");
      await clock.advance(2000);
      const text = await reading;
      assert.equal(valueOf(text, "fine"), 1);
      assert.deepEqual(
        ["broken", "late"].map((name) => valueOf(text, name)),
        [undefined, undefined],
      );
      // The metrics of the process may time out as well: the fake clock does not wait for the disk.
      const messages = log.messages().filter((message) => !message.includes('"process"'));
      assert.deepEqual(messages.toSorted(), [
        'The metric "broken" could not be read',
        'The metric "late" could not be read',
        'The metrics of "a" could not be read',
        'The metrics of "b" could not be read',
      ]);
    } finally {
      await metrics.stop();
    }
  });

  test("the process reports time, memory, start and event loop by standard names", async () => {
    const metrics = service();
    await metrics.start({ services: [] });
    try {
      const text = await metrics.text();
      const of = (name: string): number => valueOf(text, name) ?? Number.NaN;
      assert.ok(of("process_cpu_seconds_total") > 0);
      const [earliestMs, uptimeSeconds, latestMs] = [Date.now(), process.uptime(), Date.now()];
      assert.ok(of("process_start_time_seconds") > earliestMs / 1000 - uptimeSeconds - 5);
      assert.ok(of("process_start_time_seconds") < latestMs / 1000 - uptimeSeconds + 5);
      assert.ok(of("process_resident_memory_bytes") > of("nodejs_heap_size_used_bytes"));
      assert.ok(of("nodejs_heap_size_used_bytes") > 0);
      for (const name of ["mean", "p50", "p99", "max"]) {
        assert.ok(of(`nodejs_eventloop_lag_${name}_seconds`) >= 0, name);
      }
      if (process.platform === "linux") assert.ok(of("process_open_fds") > 2);
    } finally {
      await metrics.stop();
    }
  });

  test("a blocked event loop appears once, in the next reading", async (t) => {
    const metrics = service();
    await metrics.start({ services: [] });
    const longest = async (): Promise<number> => valueOf(await metrics.text(), "nodejs_eventloop_lag_max_seconds") ?? 0;
    try {
      const lag = await waitFor(async () => {
        // Blocks the thread for 200 ms.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
        const seconds = await longest();
        return seconds > 0.1 && seconds;
      }, t);
      // A machine that stands still blocks the event loop as well, but not in every reading.
      await waitFor(async () => (await longest()) < lag, t);
    } finally {
      await metrics.stop();
    }
  });
});
