// npm run bench:micro: measures the parts of a request without sockets. Each benchmark runs in its own process, in turn, several times.
// Figures are medians.
import { spawnSync } from "node:child_process";
import { limmatFlags } from "../harness/limmat.ts";
import { median } from "../harness/measure.ts";
import type { Cost } from "./connection.ts";
import { works } from "./works.ts";

const turns = 5;
const flags = ["--expose-gc", "--min-semi-space-size=256", "--max-semi-space-size=256", ...limmatFlags];
const program = new URL("measure.ts", import.meta.url).pathname;

function measure(work: number): Cost {
  const env = { ...process.env, FRAMEWORK_ENV: "production" };
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, program, String(work)], { env, encoding: "utf8" });
  const line = stdout.trim().split("\n").at(-1) ?? "";
  if (!line.startsWith("{")) throw new Error(`${works[work]?.name} failed:\n${stdout}${stderr}`);
  return JSON.parse(line) as Cost;
}

const costs = works.map((): Cost[] => []);
for (let turn = 0; turn < turns; turn++) works.forEach((_, at) => costs[at]?.push(measure(at)));

const limit = median((costs[0] ?? []).map(({ time }) => time));
console.log("| benchmark | µs | × node:http | bytes |\n| --- | ---: | ---: | ---: |");
works.forEach(({ name }, at) => {
  const time = median((costs[at] ?? []).map((cost) => cost.time));
  const bytes = median((costs[at] ?? []).map((cost) => cost.bytes));
  console.log(`| ${name} | ${time.toFixed(2)} | ${(time / limit).toFixed(2)} | ${bytes} |`);
});
process.exit();
