import type { Contestant } from "../contestants/contestants.ts";
import { visitor } from "./http.ts";
import { startServer } from "./server.ts";

/** Application that is started, and its first request. */
export interface StartedApplication {
  readonly application: string;
  readonly path: string;
}

/** The smallest application, and a whole one: pages, sessions, forms and the database. */
export const startedApplications: readonly StartedApplication[] = [
  { application: "json", path: "/hello/world" },
  { application: "todos-postgresql", path: "/todos?limit=20" },
];

/** Start-up and idle memory of an application of a contestant, once per round. */
export interface ProcessMeasurement {
  readonly contestant: string;
  readonly host: "node" | "bun";
  /** Application. Absent in older results: `json`. */
  readonly application?: string;
  /** Milliseconds from the start of the process to the first response. */
  readonly startUp: readonly number[];
  /** CPU time of the start, in milliseconds. */
  readonly startUpCpu: readonly number[];
  /** Resident memory in bytes, one second after ten responses. */
  readonly idleMemory: readonly number[];
}

/** Starts each contestant that has the application once per round, in turn. */
export async function measureProcesses(
  all: readonly Contestant[],
  rounds: number,
  { application, path }: StartedApplication,
): Promise<readonly ProcessMeasurement[]> {
  const contestants = all.filter(({ applications }) => applications.includes(application));
  const measurements = contestants.map(({ name, host }) => ({
    contestant: name,
    host,
    application,
    startUp: [] as number[],
    startUpCpu: [] as number[],
    idleMemory: [] as number[],
  }));
  for (let n = 0; n < rounds; n += 1) {
    for (const [index, contestant] of contestants.entries()) {
      const measurement = measurements[index];
      const from = performance.now();
      const server = await startServer(contestant, application);
      const visit = visitor(server.port);
      await visit.ask(path);
      measurement?.startUp.push(performance.now() - from);
      measurement?.startUpCpu.push((await server.usage()).cpu / 1000);
      for (let asked = 1; asked < 10; asked += 1) await visit.ask(path);
      await new Promise((resolve) => {
        setTimeout(resolve, 1000);
      });
      measurement?.idleMemory.push((await server.usage()).rss);
      await server.stop();
    }
  }
  return measurements;
}
