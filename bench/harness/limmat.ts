import { existsSync, rmSync, symlinkSync } from "node:fs";

const root = new URL("../../", import.meta.url);
const link = new URL("../node_modules/limmat", import.meta.url);

if (!existsSync(link)) {
  rmSync(link, { force: true });
  symlinkSync("../..", link, "junction");
}

/** Whether limmat runs as it is published, which is what counts, or from its source, which only adds to its start. */
export const isBuilt: boolean = process.env["BENCH_SOURCE"] === undefined && existsSync(new URL("dist/index.js", root));

/** What the processes of limmat are started with. */
export const limmatFlags: readonly string[] = isBuilt ? [] : ["--conditions=@limmat/source"];
