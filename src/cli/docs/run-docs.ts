import { once } from "node:events";
import { parseArgs } from "node:util";
import { Command } from "../../core/index.ts";
import { errors } from "../errors.ts";
import { readDocsArchive } from "./docs-archive.ts";
import { type DocsServer, startDocsServer } from "./docs-server.ts";

/**
 * Serves the documentation until the signal is aborted. Returns `undefined` for wrong arguments.
 *
 * @throws E_DOCS_MISSING if the package contains no site, E_DOCS_PORT if the port cannot be used.
 */
export async function runDocs(
  args: readonly string[],
  output: Command.Output,
  signal: AbortSignal,
): Promise<Command.Done | undefined> {
  const { port = "0" } = parseArgs({ args: [...args], options: { port: { type: "string" } } }).values;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) return undefined;
  const server = await openServer(Number(port));
  output.print(`The documentation is at ${server.url}`);
  output.note("Press Ctrl-C to end.");
  if (!signal.aborted) await once(signal, "abort");
  await server.close();
  return Command.done;
}

async function openServer(port: number): Promise<DocsServer> {
  const files = readDocsArchive();
  try {
    return await startDocsServer(files, port);
  } catch (error) {
    throw errors.E_DOCS_PORT(port).causedBy(error);
  }
}
