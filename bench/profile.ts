// npm run profile -- <contestant> <work> [seconds]: where the CPU time of a contestant goes while it is under load.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contestants } from "./contestants/contestants.ts";
import { visitor } from "./harness/http.ts";
import { load } from "./harness/load.ts";
import { pinClient } from "./harness/machine.ts";
import { startServer } from "./harness/server.ts";
import { createDatabases, dropDatabases } from "./work/database.ts";
import { works } from "./work/works.ts";

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const [name, workName, seconds = "5"] = process.argv.slice(2);
const contestant = contestants.find((item) => item.name === name && item.host === "node");
const work = works.find((item) => item.name === workName);
if (contestant === undefined || work === undefined) throw new Error("usage: npm run profile -- <contestant> <work>");

pinClient();
const folder = mkdtempSync(join(tmpdir(), "limmat-bench-"));
await createDatabases();
try {
  const flags = ["--cpu-prof", "--cpu-prof-interval=200", `--cpu-prof-dir=${folder}`, ...(contestant.flags ?? [])];
  const server = await startServer({ ...contestant, flags }, work.application);
  await work.reset?.();
  const requests = await work.prepare(visitor(server.port), server.port);
  const { requests: count } = await load({
    port: server.port,
    requests,
    status: work.status,
    connections: 64,
    seconds: Number(seconds),
  });
  await server.end();
  const profile = readdirSync(folder)[0] ?? "";
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, profile), "utf8")) as Profile;
  const names = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => {
      const place = url.replace(/^.*\/(?:node_modules|main)\//, "");
      return [id, `${functionName || "(anonymous)"} ${place === "" ? "" : `${place}:${lineNumber + 1}`}`] as const;
    }),
  );
  const times = new Map<string, number>();
  samples.forEach((sample, index) => {
    const label = names.get(sample) ?? "?";
    times.set(label, (times.get(label) ?? 0) + (timeDeltas[index] ?? 0));
  });
  const busy = [...times].filter(([label]) => !label.startsWith("(idle)") && !label.startsWith("(program)"));
  const total = busy.reduce((sum, [, time]) => sum + time, 0);
  const tell = (entries: readonly (readonly [string, number])[]): void => {
    for (const [label, time] of entries.toSorted(([, x], [, y]) => y - x).slice(0, 40))
      console.log(
        `${(time / count).toFixed(2).padStart(9)} µs ${((time / total) * 100).toFixed(1).padStart(5)} %  ${label}`,
      );
  };
  console.log(`${count} requests, ${(total / count).toFixed(1)} µs of JavaScript and GC each. Self time by function:`);
  tell(busy);
  const files = Map.groupBy(busy, ([label]) => label.slice(label.lastIndexOf(" ") + 1).replace(/:\d+$/, "") || label);
  console.log("By file:");
  tell(Array.from(files, ([file, entries]) => [file, entries.reduce((sum, [, time]) => sum + time, 0)] as const));
} finally {
  await dropDatabases();
  rmSync(folder, { recursive: true });
}
