import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { errors } from "./errors.ts";
import type { Remote, RunOptions, ScriptResult } from "./remote.ts";
import { type Script, scriptInput, scriptReader } from "./shell.ts";

/** Address of a host. */
export interface Destination {
  /** `user@example.com`, or a name of the ssh configuration. */
  readonly host: string;
  readonly port: number | undefined;
}

/** Options of `connectSsh`. */
export interface SshOptions {
  /** Path of a configuration file of ssh. Default: the one of the user. */
  readonly configFile: string | undefined;
  readonly signal: AbortSignal;
}

const destinationPattern = /^(?:ssh:\/\/)?((?:\w[\w.+-]*@)?(?:\w[\w.-]*|\[[\da-f:]+\]))(?::(\d{1,5}))?$/i;

/**
 * Parses `[user@]host[:port]`. A host cannot begin with a dash, so that ssh never reads it as an option.
 *
 * @throws E_DEPLOY_HOST
 */
export function parseDestination(text: string): Destination {
  const [, host, port] = destinationPattern.exec(text) ?? [];
  if (host === undefined) throw errors.E_DEPLOY_HOST(text);
  return { host: host.replace(/[[\]]/g, ""), port: port === undefined ? undefined : Number(port) };
}

/** Starts a process that reads a script from its standard input, such as ssh. */
export type StartShell = (signal: AbortSignal | undefined) => ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Opens a connection to a host, which all scripts share. Asks for a passphrase or the key of an unknown host as ssh does;
 * the keys of hosts are checked as ssh is configured to.
 *
 * @throws E_DEPLOY_CONNECTION
 */
export async function connectSsh({ host, port }: Destination, { configFile, signal }: SshOptions): Promise<Remote> {
  const address = [
    ...(configFile === undefined ? [] : ["-F", configFile]),
    ...(port === undefined ? [] : ["-p", `${port}`]),
  ];
  const timeouts = ["-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4"];
  // Windows has no control sockets: each script connects anew.
  if (process.platform === "win32") {
    const args = [...address, ...timeouts, "--", host, scriptReader];
    return shellRemote(host, { start: (end) => startShell("ssh", args, end), signal, close: async () => {} });
  }
  const folder = await mkdtemp(join(tmpdir(), "limmat-ssh-"));
  const control = ["-o", `ControlPath=${join(folder, "s")}`];
  const close = async (): Promise<void> => {
    await endOf(spawn("ssh", [...address, ...control, "-O", "exit", "--", host], { stdio: "ignore" }));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    // The master goes to the background when it is connected, and ends a minute after the last script at the latest.
    const options = ["-f", "-N", "-M", ...control, "-o", "ControlPersist=60", ...timeouts];
    const master = spawn("ssh", [...address, ...options, "--", host], { stdio: ["inherit", "ignore", "pipe"], signal });
    let stderr = "";
    master.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
    const code = await endOf(master);
    master.stderr.destroy();
    if (code !== 0) throw errors.E_DEPLOY_CONNECTION(host, lastLine(stderr));
  } catch (error) {
    await close();
    signal.throwIfAborted();
    throw error;
  }
  const args = [...address, ...control, "-o", "BatchMode=yes", "--", host, scriptReader];
  return shellRemote(host, { start: (end) => startShell("ssh", args, end), signal, close });
}

/**
 * Starts a program in a process group of its own: Ctrl-C in a terminal reaches the whole group of this process, and would
 * otherwise end a step of the deployment in its middle.
 */
export function startShell(
  program: string,
  args: readonly string[],
  signal: AbortSignal | undefined,
): ChildProcessByStdio<Writable, Readable, Readable> {
  return spawn(program, [...args], { stdio: ["pipe", "pipe", "pipe"], detached: true, ...(signal && { signal }) });
}

/** Options of `shellRemote`. */
export interface ShellOptions {
  readonly start: StartShell;
  /** Ends scripts when it is aborted. */
  readonly signal: AbortSignal;
  readonly close: () => Promise<void>;
}

/** Returns a host whose scripts run in processes that `start` creates. Exit code 255 is a failed connection, as in ssh. */
export function shellRemote(name: string, { start, signal, close }: ShellOptions): Remote {
  const run = async (script: Script, options: RunOptions = {}): Promise<ScriptResult> => {
    const { input = "", onOutput, isUninterruptible = false } = options;
    const child = start(isUninterruptible ? undefined : signal);
    const output = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        output[stream] += text;
        if (stream === "stdout") onOutput?.(text);
      });
    }
    const ended = endOf(child);
    ended.catch(() => {});
    // A script that fails early does not read its input. Its exit code says so.
    child.stdin.on("error", () => {});
    child.stdin.write(scriptInput(script));
    if (typeof input === "string") child.stdin.end(input);
    else await pipeline(input, child.stdin).catch(() => {});
    const code = await ended;
    if (code === 255) throw errors.E_DEPLOY_CONNECTION(name, lastLine(output.stderr));
    return { code, ...output };
  };
  return {
    name,
    run,
    hold: async (script) => {
      const child = start(undefined);
      let stderr = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
      child.stdin.on("error", () => {});
      const ended = endOf(child);
      ended.catch(() => {});
      child.stdin.write(scriptInput(script));
      let stdout = "";
      for await (const text of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
        stdout += String(text);
        if (stdout.includes("\n")) break;
      }
      if (!stdout.includes("\n"))
        throw errors.E_DEPLOY_CONNECTION(name, lastLine(stderr) || `exit code ${await ended}`);
      const [line = ""] = stdout.split("\n");
      const release = async (): Promise<void> => {
        child.stdin.end();
        child.stdout.resume();
        await ended.catch(() => {});
      };
      return { line, release };
    },
    close,
  };
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1)?.replace(/\.$/, "") ?? "";

/** Waits for the end of a process and returns its exit code, 1 after a signal. Rejects if it cannot be started. */
function endOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    // "close" would wait for a process in the background that holds the standard error.
    const isPiped = child.stdin !== null;
    child.once(isPiped ? "close" : "exit", (code: number | null) => resolve(code ?? 1));
  });
}
