// Loaded before the application, in the process that runs it during development. It loads the packages of the last run
// ahead of time, waits until it is the application's turn, and tells which files the application is made of and where it
// listens.
import { tracingChannel } from "node:diagnostics_channel";
import { enableCompileCache, registerHooks, stripTypeScriptTypes } from "node:module";
import type { Server } from "node:net";
import { fileURLToPath } from "node:url";
import type { FromChild, Preparation, Turn } from "./messages.ts";

const tell = (message: FromChild): void => void process.send?.(message);

const received = <Message>(): Promise<Message> =>
  new Promise((resolve) => process.once("message", (message) => resolve(message as Message)));

let isTurn = false;
registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    if (isTurn && resolved.url.startsWith("file:")) {
      const path = fileURLToPath(resolved.url.replace(/[?#].*/, ""));
      tell({ kind: "file", path });
    }
    return resolved;
  },
});

tracingChannel("net.server.listen").subscribe({
  asyncEnd: (message) => {
    const address = (message as { readonly server: Server }).server.address();
    // Once the application has said so itself: the last address in the terminal is that of the development server.
    if (typeof address === "object" && address !== null) {
      setImmediate(() => tell({ kind: "listening", port: address.port }));
    }
  },
});

// Without its parent there is nobody to answer for.
process.once("disconnect", () => process.exit());

enableCompileCache();
const { packages } = await received<Preparation>();
warmUp();
for (const url of packages) await import(url).catch(() => {});
const { port } = await received<Turn>();
// For links in mails: the port of its own changes with each version.
process.env["DEVELOPMENT_PORT"] = String(port);
isTurn = true;
// An application that ends is not kept alive by who watches over it.
process.channel?.unref();

/** Loads what takes types away, which otherwise happens at the first file; that it is experimental, Node itself relies on. */
function warmUp(): void {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  stripTypeScriptTypes("0");
  process.emitWarning = emitWarning;
}
