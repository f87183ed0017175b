import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";
import { indexPages } from "./search-index.ts";

const mediaTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

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
      "content-type": mediaTypes[extname(shownFile)] ?? "application/octet-stream",
      "content-length": Buffer.byteLength(body),
      // The next version of the package may use the same port.
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
    });
    response.end(request.method === "HEAD" ? undefined : body);
  };
}
