// Server of the built documentation site, as a host of static files is.
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { mediaType } from "../../src/media-type/index.ts";

/** Running server. */
export interface StaticServer extends AsyncDisposable {
  readonly url: string;
}

/** Serves a folder on a free port of 127.0.0.1, and its `404.html` for unknown paths. */
export async function serveFolder(folder: string): Promise<StaticServer> {
  const server = createServer((request, response) => {
    const [path = "/"] = (request.url ?? "/").split("?", 1);
    const name = path.endsWith("/") ? `${path}index.html` : path;
    const isFound = existsSync(join(folder, name));
    const body = readFileSync(join(folder, isFound ? name : "404.html"));
    const type = mediaType(isFound ? name : "404.html");
    response.writeHead(isFound ? 200 : 404, { "content-type": type, "content-length": body.length }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
