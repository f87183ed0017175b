// node:http without libraries: the baseline on Node. Pages and databases are in raw-site.mjs and raw-world.mjs.
import { readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { contestant, listen } from "../../harness/contestant.mjs";
import { publicFolder, resources } from "../../work/data.mjs";

const json = (response, value) => {
  const body = JSON.stringify(value);
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
};

const notFound = (response) => response.writeHead(404, { "content-length": 0 }).end();

const hello = "/hello/";

await contestant({
  json: () =>
    listen(
      createServer((request, response) => {
        if (request.method === "GET" && request.url.startsWith(hello))
          json(response, { hello: decodeURIComponent(request.url.slice(hello.length)) });
        else notFound(response);
      }),
    ),

  routes: () => {
    const table = new Map();
    for (const resource of resources) {
      table.set(resource, (response) => json(response, { action: `${resource}.index` }));
      table.set(`${resource}/new`, (response) => json(response, { action: `${resource}.new` }));
      table.set(`${resource}/:`, (response, id) => json(response, { action: `${resource}.show`, id }));
      table.set(`${resource}/:/edit`, (response, id) => json(response, { action: `${resource}.edit`, id }));
      table.set(`${resource}/:/items/:`, (response, id, item) =>
        json(response, { action: `${resource}.item`, id, item }),
      );
    }
    return listen(
      createServer((request, response) => {
        const path = request.url.slice(1);
        const [resource, id, sub, item] = path.split("/");
        const route =
          table.get(path) ??
          table.get(
            item === undefined
              ? sub === undefined
                ? `${resource}/:`
                : `${resource}/:/${sub}`
              : `${resource}/:/items/:`,
          );
        if (route === undefined || request.method !== "GET") notFound(response);
        else route(response, id, item);
      }),
    );
  },

  middlewares: () => {
    let handle = (request, response) =>
      request.url.startsWith(hello)
        ? json(response, { hello: request.url.slice(hello.length), middlewares: request.middlewares })
        : notFound(response);
    for (let n = 0; n < 10; n += 1) {
      const next = handle;
      handle = (request, response) => {
        request.middlewares = (request.middlewares ?? 0) + 1;
        next(request, response);
      };
    }
    return listen(createServer(handle));
  },

  orders: () =>
    listen(
      createServer((request, response) => {
        if (request.method !== "POST" || request.url !== "/orders") return notFound(response);
        const parts = [];
        request.on("data", (part) => parts.push(part));
        request.on("end", () => {
          const { lines } = JSON.parse(parts.length === 1 ? parts[0] : Buffer.concat(parts));
          let total = 0;
          for (const { quantity, price } of lines) total += quantity * price;
          json(response, { lines: lines.length, total });
        });
      }),
    ),

  static: () =>
    listen(
      createServer(async (request, response) => {
        const path = new URL(request.url, "http://localhost").pathname;
        if (!/^\/assets\/[\w-]+\.css$/.test(path)) return notFound(response);
        try {
          const file = await stat(publicFolder + path);
          const etag = `"${file.size.toString(16)}-${file.mtimeMs.toString(16)}"`;
          if (request.headers["if-none-match"] === etag) return response.writeHead(304, { etag }).end();
          const body = await readFile(publicFolder + path);
          response.writeHead(200, {
            "content-type": "text/css; charset=utf-8",
            "content-length": body.length,
            "last-modified": file.mtime.toUTCString(),
            etag,
          });
          response.end(body);
        } catch {
          notFound(response);
        }
      }),
    ),

  site: async () => (await import("./raw-site.mjs")).site(),
  login: async () => (await import("./raw-site.mjs")).login(),
  "todos-postgresql": async () => (await import("./raw-site.mjs")).todos("postgresql"),
  "todos-sqlite": async () => (await import("./raw-site.mjs")).todos("sqlite"),
  "todos-mariadb": async () => (await import("./raw-site.mjs")).todos("mariadb"),
  world: async () => (await import("./raw-world.mjs")).world(),
});
