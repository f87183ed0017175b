// npm run profile -- <contestant> <benchmark> [seconds]: prints a CPU profile of a contestant under load.
import { contestants } from "./contestants/contestants.ts";
import { visitor } from "./harness/http.ts";
import { load } from "./harness/load.ts";
import { pinClient } from "./harness/machine.ts";
import { startServer } from "./harness/server.ts";
import { createDatabases, dropDatabases } from "./work/database.ts";
import { works } from "./work/works.ts";

const [name, workName, seconds = "5"] = process.argv.slice(2);
const contestant = contestants.find((item) => item.name === name && item.host === "node");
const work = works.find((item) => item.name === workName);
if (contestant === undefined || work === undefined)
  throw new Error("Usage: npm run profile -- <contestant> <benchmark>");

pinClient();
await createDatabases();
try {
  const server = await startServer(contestant, work.application);
  await work.reset?.();
  const requests = await work.prepare(visitor(server.port, work.isSecure), server.port);
  const run = (duration: number) =>
    (work.load ?? load)({
      port: server.port,
      isSecure: work.isSecure === true,
      requests,
      statuses: [work.status].flat(),
      connections: work.connections ?? 64,
      seconds: duration,
    });
  await run(3);
  let count = 0;
  const before = await server.usage();
  const { nodes, samples, timeDeltas } = await server.profile(async () => {
    count = (await run(Number(seconds))).requests;
  });
  const { cpu } = await server.usage();
  await server.stop();

  const labels = new Map(
    nodes.map(({ id, callFrame: { functionName, url, lineNumber } }) => {
      const place = url.replace(/^.*\/(?:node_modules|main)\//, "");
      return [id, `${functionName || "(anonymous)"} ${place === "" ? "" : `${place}:${lineNumber + 1}`}`] as const;
    }),
  );
  const times = new Map<string, number>();
  samples.forEach((sample, index) => {
    const label = labels.get(sample) ?? "?";
    times.set(label, (times.get(label) ?? 0) + (timeDeltas[index] ?? 0));
  });
  const busy = [...times].filter(([label]) => !/^\((?:idle|root)\)|node:inspector/.test(label));
  const total = busy.reduce((sum, [, time]) => sum + time, 0);
  const printEntries = (entries: readonly (readonly [string, number])[]): void => {
    for (const [label, time] of entries.toSorted(([, x], [, y]) => y - x).slice(0, 40))
      console.log(`${((time / total) * 100).toFixed(1).padStart(6)} %  ${label}`);
  };
  console.log(`${((cpu - before.cpu) / count).toFixed(1)} µs CPU per request, ${count} requests. By function:`);
  printEntries(busy);
  const fileOf = (label: string): string => label.slice(label.lastIndexOf(" ") + 1).replace(/:\d+$/, "") || label;
  console.log("By file:");
  printEntries(
    Array.from(
      Map.groupBy(busy, ([label]) => fileOf(label)),
      ([file, entries]) => [file, entries.reduce((sum, [, time]) => sum + time, 0)] as const,
    ),
  );
} finally {
  await dropDatabases();
}
