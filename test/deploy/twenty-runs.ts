// Deploys a project again and again under load, every time also a release that is not healthy, and prints the figures:
// node --conditions=@limmat/source test/deploy/twenty-runs.ts [runs] [--npm]
import { basename, dirname, join } from "node:path";
import { readlinkSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { packFramework } from "../new-project/package.ts";
import { startLoad } from "./load.ts";
import { deployedProject } from "./project.ts";

const { values, positionals } = parseArgs({ options: { npm: { type: "boolean" } }, allowPositionals: true });
const runs = Number(positionals[0] ?? 20);

using framework = packFramework();
await using project = await deployedProject(framework, { usesNpm: values.npm ?? false });

interface Figures {
  readonly seconds: number;
  readonly answered: number;
  readonly lost: number;
  readonly slowestMs: number;
}

async function measure(mustSucceed: boolean): Promise<Figures> {
  const load = startLoad(project.port, "/", 8);
  const startMs = performance.now();
  const { code, stdout, stderr } = await project.deploy();
  const seconds = (performance.now() - startMs) / 1000;
  const { answered, lost, slowestMs } = await load.stop();
  if ((code === 0) !== mustSucceed) throw new Error(`exit code ${code}:\n${stdout}\n${stderr}`);
  for (const loss of lost) console.error(loss);
  return { seconds, answered, lost: lost.length, slowestMs };
}

const failures: string[] = [];
const check = async (run: number, text: string): Promise<void> => {
  const [status, version] = await project.get("/version");
  if (status !== 200 || version !== text) failures.push(`run ${run}: ${status} ${version} instead of ${text}`);
};

project.commit({ text: "v0" });
const firstMs = performance.now();
const first = await project.deployOrThrow("--env", join(dirname(project.folder), "production.env"));
console.log(`first deployment: ${((performance.now() - firstMs) / 1000).toFixed(1)} s\n${first.stderr}`);

const good: Figures[] = [];
const bad: Figures[] = [];
for (let run = 1; run <= runs; run += 1) {
  const text = `v${run}`;
  // A release in two is refused before the switch, the other one is rolled back after it.
  const isHealthy = run % 2 === 0 ? "false" : "process.env.PORT !== undefined";
  project.commit({ text, migrations: run });
  // Another lock file: npm installs the packages instead of links to those of the release before.
  const lock = join(project.root, "package-lock.json");
  if (run % 5 === 0 && values.npm !== true) writeFileSync(lock, `{ "run": ${run} }\n`);
  project.commit({ text, migrations: run });
  good.push(await measure(true));
  await check(run, text);
  const current = readlinkSync(join(project.folder, "current"));
  project.commit({ text: "unhealthy", isHealthy, migrations: run });
  bad.push(await measure(false));
  await check(run, text);
  if (readlinkSync(join(project.folder, "current")) !== current) failures.push(`run ${run}: current has changed`);
  const [last, refused] = [good.at(-1), bad.at(-1)];
  console.log(
    `run ${run}: ${basename(current)} in ${last?.seconds.toFixed(1)} s, ${last?.answered} requests, ${last?.lost} lost; ` +
      `unhealthy release in ${refused?.seconds.toFixed(1)} s, ${refused?.answered} requests, ${refused?.lost} lost`,
  );
}

const summarize = (name: string, figures: readonly Figures[]): void => {
  const seconds = figures.map((figure) => figure.seconds).toSorted((a, b) => a - b);
  const sum = (key: "answered" | "lost"): number => figures.reduce((total, figure) => total + figure[key], 0);
  const median = seconds[Math.floor(seconds.length / 2)];
  console.log(
    `${name}: ${figures.length} runs, ${seconds[0]?.toFixed(1)} to ${seconds.at(-1)?.toFixed(1)} s, median ${median?.toFixed(1)} s; ` +
      `${sum("answered")} requests, ${sum("lost")} lost, slowest ${Math.max(...figures.map((figure) => figure.slowestMs)).toFixed(0)} ms`,
  );
};
summarize("deployments", good);
summarize("refused releases", bad);
for (const failure of failures) console.error(failure);
const lost = [...good, ...bad].reduce((total, figure) => total + figure.lost, 0);
if (failures.length > 0 || lost > 0) process.exitCode = 1;
