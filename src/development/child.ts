// Preload module of the application process during development. It imports the packages of the previous run, waits for
// the start message, and reports the imported files, the port, pending migrations and the error that ends the start. It
// responds to the development server while its event loop is not blocked.
import { subscribe, tracingChannel } from "node:diagnostics_channel";
import { enableCompileCache, registerHooks } from "node:module";
import type { Server } from "node:net";
import { fileURLToPath } from "node:url";
import { developmentPortVariable, failureChannelName, pendingMigrationsChannelName } from "../core/index.ts";
import type { ChildMessage, ServerMessage } from "./application-process.ts";
import { stripTypes } from "./strip-types.ts";

const sendToServer = (message: ChildMessage): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, () => resolve());
  });

const started = Promise.withResolvers<number>();
const packagesToLoad = Promise.withResolvers<readonly string[]>();
process.on("message", (message: ServerMessage) => {
  if (message.kind === "preload") packagesToLoad.resolve(message.packages);
  if (message.kind === "start") started.resolve(message.port);
  if (message.kind === "pending") void reportPendingSteps();
  if (message.kind === "react") void sendToServer({ kind: "reaction" });
});

let hasStarted = false;
const loadedFiles: string[] = [];
registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    if (hasStarted && resolved.url.startsWith("file:")) {
      const path = fileURLToPath(resolved.url.replace(/[?#].*/, ""));
      loadedFiles.unshift(path);
      void sendToServer({ kind: "file", path });
    }
    return resolved;
  },
});

tracingChannel("net.server.listen").subscribe({
  asyncEnd: (message) => {
    const address = (message as { readonly server: Server }).server.address();
    // Wait until the application has printed its own address, so that the development server's address is printed last.
    if (typeof address === "object" && address !== null) {
      setImmediate(() => void sendToServer({ kind: "listening", port: address.port }));
    }
  },
});

// The framework publishes the error that ends a command, instead of printing it.
subscribe(failureChannelName, (thrown) => void reportFailure(thrown));
process.on("uncaughtException", (thrown) => {
  // With another listener, the process lives on: the framework logs such errors while the server runs.
  if (process.listenerCount("uncaughtException") > 1) return;
  // The report fails if the folder of the project was deleted. That error must not be reported in turn.
  const exit = (): never => process.exit(1);
  void reportFailure(thrown).then(exit, exit);
});

/** Sends the description of an error to the development server, and keeps the process alive until it is sent. */
async function reportFailure(thrown: unknown): Promise<void> {
  const timer = setTimeout(() => {}, 5000);
  const { describeFailure, failureText } = await import("./describe-failure.ts");
  const files = loadedFiles.filter((file) => !file.includes("/node_modules/"));
  const failure = await describeFailure(thrown, process.cwd(), files);
  await sendToServer({ kind: "failure", text: failureText(failure, process.cwd()) });
  clearTimeout(timer);
}

const pendingChecks: (() => Promise<readonly string[]>)[] = [];
subscribe(pendingMigrationsChannelName, (check) => {
  pendingChecks.push(check as () => Promise<readonly string[]>);
  void reportPendingSteps();
});

async function reportPendingSteps(): Promise<void> {
  const steps = await Promise.all(pendingChecks.map(async (check) => check().catch(() => [])));
  await sendToServer({ kind: "pending", steps: steps.flat() });
}

// Exit with the development server.
process.once("disconnect", () => process.exit());

// The innermost frames of an error can all be those of the framework. Errors and pages show the frames of the application.
Error.stackTraceLimit = 50;

enableCompileCache();
const packages = await packagesToLoad.promise;
// Loads Node's type stripping ahead of the first file.
stripTypes("0");
for (const url of packages) await import(url).catch(() => {});
// Links in e-mails need the public port: the application's own port changes with each restart.
process.env[developmentPortVariable] = String(await started.promise);
hasStarted = true;
// The IPC channel must not keep the application alive.
process.channel?.unref();
