import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { brotliDecompressSync } from "node:zlib";
import { Command } from "../../core/index.ts";
import { mediaType } from "../../media-type/index.ts";
import { packagePath } from "../../project/index.ts";
import { errors } from "../errors.ts";
import { indexPages } from "./search-index.ts";

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
  const server = await startDocsServer(readDocsArchive(), Number(port)).catch((cause: unknown): never => {
    throw errors.E_DOCS_PORT(Number(port)).causedBy(cause);
  });
  output.print(`The documentation is at ${server.url}`);
  output.note("Press Ctrl-C to end.");
  if (!signal.aborted) await once(signal, "abort");
  await server.close();
  return Command.done;
}

/** Paths of the archive in the package, and in the repository, where `npm run docs:build` writes it. */
const archivePaths = ["dist/docs.br", "site/dist/docs.br"];

/**
 * Reads the files of the documentation site, by path. The archive is one compressed file: a line of JSON with the paths and
 * lengths of the files, and then their contents.
 *
 * @throws E_DOCS_MISSING if there is no archive.
 */
export function readDocsArchive(
  path: string | undefined = archivePaths.map(packagePath).find((candidate) => existsSync(candidate)),
): ReadonlyMap<string, Buffer> {
  if (path === undefined || !existsSync(path)) throw errors.E_DOCS_MISSING();
  const content = brotliDecompressSync(readFileSync(path));
  const headerEnd = content.indexOf("\n");
  const entries = JSON.parse(content.toString("utf8", 0, headerEnd)) as readonly [path: string, length: number][];
  const files = new Map<string, Buffer>();
  let start = headerEnd + 1;
  for (const [name, length] of entries) {
    files.set(name, content.subarray(start, start + length));
    start += length;
  }
  return files;
}

/** Page that the site contains for unknown paths. Its links begin with `/`. */
const notFoundFile = "404.html";

/** Search index of the site. The archive omits it, as it repeats the text of the pages. */
const searchIndexFile = "search-index.json";

/** Server of the documentation site. */
export interface DocsServer {
  readonly url: string;
  /** Closes the port and all connections. */
  readonly close: () => Promise<void>;
}

/**
 * Serves files on 127.0.0.1, and `404.html` with status 404 for unknown paths. Port 0 selects a free port. Rejects if the
 * port is taken.
 */
export async function startDocsServer(files: ReadonlyMap<string, Buffer>, port: number): Promise<DocsServer> {
  const server = createServer(fileListener(files));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function fileListener(files: ReadonlyMap<string, Buffer>): RequestListener {
  let searchIndex: string | undefined;
  const contentOf = (name: string): string | Buffer | undefined => {
    if (name === searchIndexFile) return (searchIndex ??= JSON.stringify(indexPages(files)));
    return files.get(name);
  };
  return (request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { allow: "GET, HEAD" }).end();
      return;
    }
    const [path = "/"] = (request.url ?? "/").split("?", 1);
    const name = path.endsWith("/") ? `${path.slice(1)}index.html` : path.slice(1);
    const content = contentOf(name);
    const status = content === undefined || name === notFoundFile ? 404 : 200;
    const shownFile = status === 404 ? notFoundFile : name;
    const body = content ?? files.get(notFoundFile) ?? "";
    response.writeHead(status, {
      "content-type": mediaType(shownFile),
      "content-length": Buffer.byteLength(body),
      // The next version of the package may use the same port.
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
    });
    response.end(request.method === "HEAD" ? undefined : body);
  };
}
