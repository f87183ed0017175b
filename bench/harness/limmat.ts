import { existsSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder of the limmat package: this repository, or the checkout in `BENCH_LIMMAT`, to compare versions. */
export const limmatFolder: string = resolve(
  process.env["BENCH_LIMMAT"] ?? fileURLToPath(new URL("../../", import.meta.url)),
);

const bench = fileURLToPath(new URL("../", import.meta.url));
const link = `${bench}node_modules/limmat`;
if (!existsSync(link)) symlinkSync(fileURLToPath(new URL("../../", import.meta.url)), link, "junction");

/** True if limmat runs as published. From source it only starts more slowly. */
export const isBuilt: boolean =
  process.env["BENCH_SOURCE"] === undefined && existsSync(join(limmatFolder, "dist/index.js"));

/** Flags that make a process import limmat from the checkout in its variable `BENCH_LIMMAT`. */
export const hookFlags: readonly string[] = [`--import=${fileURLToPath(new URL("limmat-hook.mjs", import.meta.url))}`];

/** Flags of Node for the processes of limmat. The hook makes them import the other checkout. */
export const limmatFlags: readonly string[] = [
  ...(isBuilt ? [] : ["--conditions=@limmat/source"]),
  ...(process.env["BENCH_LIMMAT"] === undefined ? [] : hookFlags),
];

/** Environment of the processes of limmat. */
export const limmatFolderEnvironment: Readonly<Record<string, string>> =
  process.env["BENCH_LIMMAT"] === undefined ? {} : { BENCH_LIMMAT: limmatFolder };
