// Starts the to-do example: migrates its database, adds items, and runs the server until Ctrl-C.
// JavaScript, and no npm script in between: the first page of a new clone must not wait for more than it needs.
import { fileURLToPath } from "node:url";
import { runProgram } from "./run-program.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

for (const command of ["migrate", "seed", "server"]) {
  const args = ["--conditions=@limmat/source", `${root}bin/limmat.mjs`, command];
  process.exitCode = await runProgram(process.execPath, args, { cwd: `${root}examples/todo` });
  if (process.exitCode !== 0) break;
}
