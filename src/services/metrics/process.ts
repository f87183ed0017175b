import { readdir } from "node:fs/promises";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import type { Service } from "../../core/index.ts";

/** How often the event loop is looked at, in milliseconds. */
const resolution = 20;
const isBun = process.versions["bun"] !== undefined;
// Node records the time between two looks, Bun how much later than planned the second one was.
const planned = isBun ? 0 : resolution / 1000;

/** What is known of this process from its start on. */
export interface ProcessMeter {
  /** By the names that the client libraries of Prometheus give, in general and for Node. */
  readonly measure: () => Promise<readonly Service.Measurement[]>;
  readonly stop: () => void;
}

type Figure = readonly [type: "counter" | "gauge", name: string, help: string, value: number | undefined];

/** Begins to watch the event loop. */
export function meterProcess(): ProcessMeter {
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const seconds = (nanoseconds: number): number => (delay.count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - planned));
  const measure = async (): Promise<readonly Service.Measurement[]> => {
    const { user, system } = process.cpuUsage();
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    const active = isBun ? undefined : performance.eventLoopUtilization().active / 1000;
    const files = await openFiles();
    const figures: readonly Figure[] = [
      ["counter", "process_cpu_seconds_total", "Time spent on a processor", (user + system) / 1e6],
      ["gauge", "process_start_time_seconds", "Start, since 1970", performance.timeOrigin / 1000],
      ["gauge", "process_resident_memory_bytes", "Resident memory", rss],
      ["gauge", "process_open_fds", "Open file descriptors", files],
      ["gauge", "nodejs_heap_size_total_bytes", "Size of the heap", heapTotal],
      ["gauge", "nodejs_heap_size_used_bytes", "Used part of the heap", heapUsed],
      ["gauge", "nodejs_external_memory_bytes", "Memory outside of the heap", external],
      ["counter", "nodejs_eventloop_active_seconds_total", "Time in which the event loop worked", active],
      ...(
        [
          ["mean", delay.mean],
          ["p50", delay.percentile(50)],
          ["p99", delay.percentile(99)],
          ["max", delay.max],
        ] as const
      ).map(([name, value]): Figure => {
        const help = `Delay of the event loop since the last reading: ${name}`;
        return ["gauge", `nodejs_eventloop_lag_${name}_seconds`, help, seconds(value)];
      }),
    ];
    delay.reset();
    return figures.flatMap(([type, name, help, value]) =>
      value === undefined ? [] : [{ name, type, help, samples: [{ value }] }],
    );
  };
  return { measure, stop: () => void delay.disable() };
}

/** Linux tells; elsewhere nobody knows. */
async function openFiles(): Promise<number | undefined> {
  try {
    return (await readdir("/proc/self/fd")).length;
  } catch {
    return undefined;
  }
}
