// Plain JavaScript for Node 18 and newer: tools/ready.mjs runs before the Node of the repository is installed.
import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Runs a program, by default with the standard streams of this process. Resolves with its exit code, or 1 if a signal ended
 * it.
 *
 * The terminal sends Ctrl-C to all processes of its group, so this one only waits for the program. Other signals may arrive
 * here alone, and are passed on.
 */
export async function runProgram(command, args, options = {}) {
  const program = spawn(command, args, { stdio: "inherit", ...options });
  const listeners = [
    ["SIGINT", () => {}],
    ["SIGTERM", () => program.kill("SIGTERM")],
    ["SIGHUP", () => program.kill("SIGHUP")],
  ];
  for (const [signal, listener] of listeners) process.on(signal, listener);
  const [status] = await once(program, "exit");
  for (const [signal, listener] of listeners) process.off(signal, listener);
  return status ?? 1;
}
