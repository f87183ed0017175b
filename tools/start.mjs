// Starts the to-do example: migrates its database, adds items, and runs the server until Ctrl-C.
// JavaScript, and no npm script in between: the first page of a new clone must not wait for more than it needs.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

// A listener for SIGINT keeps this process alive on Ctrl-C until the server has stopped.
process.on("SIGINT", () => {});
for (const command of ["migrate", "seed", "server"]) {
  const args = ["--conditions=@limmat/source", `${root}bin/limmat.mjs`, command];
  const { status } = spawnSync(process.execPath, args, { cwd: `${root}examples/todo`, stdio: "inherit" });
  process.exitCode = status ?? 1;
  if (status !== 0) break;
}
