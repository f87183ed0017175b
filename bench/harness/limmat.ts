import { existsSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Folder of the limmat package: this repository, or the checkout in `BENCH_LIMMAT`, to compare versions. */
export const limmatFolder: string = resolve(
  process.env["BENCH_LIMMAT"] ?? fileURLToPath(new URL("../../", import.meta.url)),
);

const link = fileURLToPath(new URL("../node_modules/limmat", import.meta.url));
if (!existsSync(link) || resolve(readlinkSync(link)) !== limmatFolder) {
  rmSync(link, { force: true });
  symlinkSync(limmatFolder, link, "junction");
}

/** True if limmat runs as published. From source it only starts more slowly. */
export const isBuilt: boolean =
  process.env["BENCH_SOURCE"] === undefined && existsSync(join(limmatFolder, "dist/index.js"));

/** Flags of Node for the processes of limmat. */
export const limmatFlags: readonly string[] = isBuilt ? [] : ["--conditions=@limmat/source"];
