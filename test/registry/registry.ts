// A registry for npm and Bun on this machine. It serves tarballs, and all other packages as they are installed in this
// repository. Packages for other platforms are missing: they are optional dependencies. Of a package that npm publishes to it,
// it serves the versions and dist-tags.
import { execFileSync } from "node:child_process";
import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { root } from "../sources.ts";

/** A running registry. */
export interface Registry extends AsyncDisposable {
  readonly url: string;
  /** Names of the packages that were requested, in the order of the requests. */
  readonly requested: readonly string[];
}

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** Version of a package, and the function that returns the path of its tarball. */
interface ServedPackage {
  readonly manifest: Manifest;
  readonly tarball: () => string;
}

/** Document of a package: the body of `npm publish`, with one version, and the response to a request of the package. */
interface PackageDocument {
  readonly name: string;
  readonly "dist-tags": Readonly<Record<string, string>>;
  readonly versions: Readonly<Record<string, object>>;
}

/** Starts a registry that serves the packages of these tarballs, and those of this repository. */
export async function startRegistry(tarballs: readonly string[]): Promise<Registry> {
  const folder = mkdtempSync(join(tmpdir(), "limmat-registry-"));
  const published = new Map(
    tarballs.map((path) => {
      const text = execFileSync("tar", ["-xzOf", path, "package/package.json"], { encoding: "utf8" });
      const manifest = JSON.parse(text) as Manifest;
      return [manifest.name, { manifest, tarball: () => path }] as const;
    }),
  );
  const find = (name: string): ServedPackage | undefined => published.get(name) ?? installedPackage(name, folder);
  const requested: string[] = [];
  const uploaded = new Map<string, PackageDocument>();

  const server = createServer(async (request, response) => {
    // `/name`, `/@scope%2fname` and `/name/-/name-1.2.3.tgz`.
    const [name = "", file] = decodeURIComponent((request.url ?? "/").slice(1)).split("/-/");
    const served = find(name);
    if (file === undefined) requested.push(name);
    if (request.method === "PUT") {
      const document = (await json(request)) as PackageDocument;
      const before = uploaded.get(name);
      uploaded.set(name, {
        name,
        "dist-tags": { ...before?.["dist-tags"], ...document["dist-tags"] },
        versions: { ...before?.versions, ...document.versions },
      });
      return sendJson(response, 201, {});
    }
    const document = uploaded.get(name);
    if (file === undefined && document !== undefined) return sendJson(response, 200, document);
    if (request.method !== "GET" || served === undefined) return sendJson(response, 404, { error: "Not found" });
    if (file === undefined) return sendJson(response, 200, packageDocument(served.manifest, url()));
    response.writeHead(200, { "content-type": "application/octet-stream" });
    createReadStream(served.tarball()).pipe(response);
  });
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: url(),
    requested,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns a package of this repository; `undefined` if it is not installed. Its tarball is made on the first request. */
function installedPackage(name: string, folder: string): ServedPackage | undefined {
  const path = join(root, "node_modules", name);
  const isName = /^(?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*$/.test(name);
  if (!isName || !existsSync(join(path, "package.json"))) return undefined;
  const manifest = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as Manifest;
  const tarball = join(folder, `${name.replace("/", "-")}.tgz`);
  return {
    manifest,
    tarball: () => {
      const args = ["-cf", tarball, "--use-compress-program=gzip -1", "--exclude=node_modules", basename(path)];
      if (!existsSync(tarball)) execFileSync("tar", args, { cwd: dirname(path) });
      return tarball;
    },
  };
}

/** Returns the document of a package with one version. */
function packageDocument(manifest: Manifest, url: string): PackageDocument {
  const { name, version } = manifest;
  const dist = { tarball: `${url}/${name}/-/${basename(name)}-${version}.tgz` };
  return { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
