// Lines that a process runs whose event loop is blocked.
import { readRunningFrames } from "../../src/development/running-frames.ts";
import { root } from "./test-files.ts";

/** Time in which Node opens its inspector, in milliseconds. */
const inspectorTimeoutMs = 10_000;

/** Process with an inspector at any free port: started with `--inspect-port=0`. */
export interface BlockedProcess {
  readonly pid: number;
  readonly stderr: NodeJS.ReadableStream;
}

/** Returns a description of the lines that a process runs. Opens its inspector for that. */
export async function describeRunningLines({ pid, stderr }: BlockedProcess): Promise<string> {
  // Windows has no signal that opens the inspector.
  if (process.platform === "win32") return "";
  const url = Promise.withResolvers<string | undefined>();
  const timer = setTimeout(() => url.resolve(undefined), inspectorTimeoutMs);
  const read = (text: string): void => {
    const [, address] = /Debugger listening on (ws:\S+)/.exec(text) ?? [];
    if (address !== undefined) url.resolve(address);
  };
  stderr.on("data", read);
  try {
    process.kill(pid, "SIGUSR1");
    const address = await url.promise;
    const frames = address === undefined ? [] : await readRunningFrames(address);
    const lines = frames.map(
      ({ name, file, line }) => `  ${name || "anonymous"} ${file.replace(`${root}/`, "")}:${line}`,
    );
    return lines.length === 0 ? "" : ["It ran:", ...lines].join("\n");
  } catch {
    // It has just exited.
    return "";
  } finally {
    clearTimeout(timer);
    stderr.removeListener("data", read);
  }
}
