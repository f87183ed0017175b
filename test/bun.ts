import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./sources.ts";

const folder = `@oven/bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : "x64"}`;

/** Path of Bun: the `BUN` variable or the package of the repository; `undefined` without Bun. */
export const bun: string | undefined = [process.env["BUN"] ?? "", join(root, "node_modules", folder, "bin/bun")].find(
  (path) => existsSync(path),
);
