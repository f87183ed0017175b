import type { Contestant } from "../contestants/contestants.ts";
import { visitor } from "./http.ts";
import { startServer } from "./server.ts";

/** Start-up and idle memory of the smallest application of a contestant, once per round. */
export interface ProcessMeasurement {
  readonly contestant: string;
  readonly host: "node" | "bun";
  /** Milliseconds from the start of the process to the first response of the json application. */
  readonly startUp: readonly number[];
  /** CPU time of the start, in milliseconds. */
  readonly startUpCpu: readonly number[];
  /** Resident memory in bytes, one second after ten responses. */
  readonly idleMemory: readonly number[];
}

/** Starts each contestant once per round, in turn. */
export async function measureProcesses(
  contestants: readonly Contestant[],
  rounds: number,
): Promise<readonly ProcessMeasurement[]> {
  const measurements = contestants.map(({ name, host }) => ({
    contestant: name,
    host,
    startUp: [] as number[],
    startUpCpu: [] as number[],
    idleMemory: [] as number[],
  }));
  for (let n = 0; n < rounds; n += 1) {
    for (const [index, contestant] of contestants.entries()) {
      const measurement = measurements[index];
      const from = performance.now();
      const server = await startServer(contestant, "json");
      const visit = visitor(server.port);
      await visit.ask("/hello/world");
      measurement?.startUp.push(performance.now() - from);
      measurement?.startUpCpu.push((await server.usage()).cpu / 1000);
      for (let asked = 1; asked < 10; asked += 1) await visit.ask("/hello/world");
      await new Promise((resolve) => {
        setTimeout(resolve, 1000);
      });
      measurement?.idleMemory.push((await server.usage()).rss);
      await server.stop();
    }
  }
  return measurements;
}
