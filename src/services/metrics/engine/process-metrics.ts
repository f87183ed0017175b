import { readdir } from "node:fs/promises";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import type { Service } from "../../../core/index.ts";

/** Sampling interval of the event loop, in milliseconds. */
const samplingIntervalMs = 20;
const isBun = process.versions["bun"] !== undefined;
// Node records the time between two samples, Bun only the delay of the second.
const expectedSeconds = isBun ? 0 : samplingIntervalMs / 1000;

/** Metrics of this process. */
export interface ProcessMetrics {
  /** Reads the metrics, named as by the Prometheus client libraries, in general and for Node. */
  readonly measure: () => Promise<readonly Service.Metric[]>;
  readonly stop: () => void;
}

type MetricRow = readonly [type: "counter" | "gauge", name: string, help: string, value: number | undefined];

/** Starts monitoring the event loop. */
export function collectProcessMetrics(): ProcessMetrics {
  const delay = monitorEventLoopDelay({ resolution: samplingIntervalMs });
  delay.enable();
  const lag = (name: string, nanoseconds: number): MetricRow => {
    const seconds = delay.count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - expectedSeconds);
    const help = `Delay of the event loop since the last reading: ${name}`;
    return ["gauge", `nodejs_eventloop_lag_${name}_seconds`, help, seconds];
  };
  const measure = async (): Promise<readonly Service.Metric[]> => {
    const { user, system } = process.cpuUsage();
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    const active = isBun ? undefined : performance.eventLoopUtilization().active / 1000;
    const openFiles = await countOpenFiles();
    const rows: readonly MetricRow[] = [
      ["counter", "process_cpu_seconds_total", "Time spent on a processor", (user + system) / 1e6],
      ["gauge", "process_start_time_seconds", "Start, since 1970", performance.timeOrigin / 1000],
      ["gauge", "process_resident_memory_bytes", "Resident memory", rss],
      ["gauge", "process_open_fds", "Open file descriptors", openFiles],
      ["gauge", "nodejs_heap_size_total_bytes", "Size of the heap", heapTotal],
      ["gauge", "nodejs_heap_size_used_bytes", "Used part of the heap", heapUsed],
      ["gauge", "nodejs_external_memory_bytes", "Memory outside of the heap", external],
      ["counter", "nodejs_eventloop_active_seconds_total", "Time in which the event loop was active", active],
      lag("mean", delay.mean),
      lag("p50", delay.percentile(50)),
      lag("p99", delay.percentile(99)),
      lag("max", delay.max),
    ];
    delay.reset();
    return rows.flatMap(([type, name, help, value]) =>
      value === undefined ? [] : [{ name, type, help, samples: [{ value }] }],
    );
  };
  return { measure, stop: () => void delay.disable() };
}

/** Counts the open file descriptors. Linux only; `undefined` elsewhere. */
async function countOpenFiles(): Promise<number | undefined> {
  try {
    return (await readdir("/proc/self/fd")).length;
  } catch {
    return undefined;
  }
}
