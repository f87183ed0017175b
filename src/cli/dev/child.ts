// Preload module of the application process during development. It imports the packages of the previous run, waits for
// the start message, and reports the imported files and the port of the application.
import { tracingChannel } from "node:diagnostics_channel";
import { enableCompileCache, registerHooks, stripTypeScriptTypes } from "node:module";
import type { Server } from "node:net";
import { fileURLToPath } from "node:url";
import type { ChildMessage, PreloadMessage, StartMessage } from "./application-process.ts";

const sendToServer = (message: ChildMessage): void => void process.send?.(message);

const nextMessage = <Message>(): Promise<Message> =>
  new Promise((resolve) => process.once("message", (message) => resolve(message as Message)));

let hasStarted = false;
registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    if (hasStarted && resolved.url.startsWith("file:")) {
      const path = fileURLToPath(resolved.url.replace(/[?#].*/, ""));
      sendToServer({ kind: "file", path });
    }
    return resolved;
  },
});

tracingChannel("net.server.listen").subscribe({
  asyncEnd: (message) => {
    const address = (message as { readonly server: Server }).server.address();
    // Wait until the application has printed its own address, so that the development server's address is printed last.
    if (typeof address === "object" && address !== null) {
      setImmediate(() => sendToServer({ kind: "listening", port: address.port }));
    }
  },
});

// Exit with the development server.
process.once("disconnect", () => process.exit());

enableCompileCache();
const { packages } = await nextMessage<PreloadMessage>();
warmUpTypeStripping();
for (const url of packages) await import(url).catch(() => {});
const { port } = await nextMessage<StartMessage>();
// Links in e-mails need the public port: the application's own port changes with each restart.
process.env["DEVELOPMENT_PORT"] = String(port);
hasStarted = true;
// The IPC channel must not keep the application alive.
process.channel?.unref();

/** Loads Node's type stripping ahead of the first file. Suppresses its experimental warning, as Node itself uses it. */
function warmUpTypeStripping(): void {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  stripTypeScriptTypes("0");
  process.emitWarning = emitWarning;
}
