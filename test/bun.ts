import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./sources.ts";

const folder = `@oven/bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : "x64"}`;

/** The Bun that the repository brings, or that `BUN` names; `undefined` where there is none. */
export const bun: string | undefined = [process.env["BUN"] ?? "", join(root, "node_modules", folder, "bin/bun")].find(
  (path) => existsSync(path),
);
