import { existsSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The package of limmat: this repository, or the checkout that `BENCH_LIMMAT` names, to compare versions. */
export const limmatFolder: string = resolve(
  process.env["BENCH_LIMMAT"] ?? fileURLToPath(new URL("../../", import.meta.url)),
);

const link = fileURLToPath(new URL("../node_modules/limmat", import.meta.url));
if (!existsSync(link) || resolve(readlinkSync(link)) !== limmatFolder) {
  rmSync(link, { force: true });
  symlinkSync(limmatFolder, link, "junction");
}

/** Whether limmat runs as it is published, which is what counts, or from its source, which only adds to its start. */
export const isBuilt: boolean =
  process.env["BENCH_SOURCE"] === undefined && existsSync(join(limmatFolder, "dist/index.js"));

/** What the processes of limmat are started with. */
export const limmatFlags: readonly string[] = isBuilt ? [] : ["--conditions=@limmat/source"];
