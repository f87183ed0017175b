// Builds what is published into `dist`: JavaScript and declarations, made by tsc alone.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

rmSync(join(root, "dist"), { recursive: true, force: true });
const tsc = join(root, "node_modules/typescript/bin/tsc");
const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
process.exitCode = status ?? 1;
