// node:http without libraries: the baseline on Node. Each application starts only the files that it needs.
import { readFile, stat } from "node:fs/promises";
import { contestant } from "../../harness/contestant.mjs";
import { publicFolder, resources } from "../../work/data.mjs";
import { head, hello, readBody, sayHello, send, sendJson, sendNothing, sendNotFound, serve } from "./raw-http.mjs";

await contestant({
  json: () => serve(sayHello),

  routes: () => {
    const table = new Map();
    for (const resource of resources) {
      table.set(resource, (response) => sendJson(response, { action: `${resource}.index` }));
      table.set(`${resource}/new`, (response) => sendJson(response, { action: `${resource}.new` }));
      table.set(`${resource}/:`, (response, id) => sendJson(response, { action: `${resource}.show`, id }));
      table.set(`${resource}/:/edit`, (response, id) => sendJson(response, { action: `${resource}.edit`, id }));
      table.set(`${resource}/:/items/:`, (response, id, item) =>
        sendJson(response, { action: `${resource}.item`, id, item }),
      );
    }
    return serve((request, response) => {
      const path = request.url.slice(1);
      const [resource, id, sub, item] = path.split("/");
      const route =
        table.get(path) ??
        table.get(
          item === undefined ? (sub === undefined ? `${resource}/:` : `${resource}/:/${sub}`) : `${resource}/:/items/:`,
        );
      if (route === undefined || request.method !== "GET") sendNotFound(response);
      else route(response, id, item);
    });
  },

  middlewares: () => {
    let handle = (request, response) =>
      request.url.startsWith(hello)
        ? sendJson(response, { hello: request.url.slice(hello.length), middlewares: request.middlewares })
        : sendNotFound(response);
    for (let n = 0; n < 10; n += 1) {
      const next = handle;
      handle = (request, response) => {
        request.middlewares = (request.middlewares ?? 0) + 1;
        next(request, response);
      };
    }
    return serve(handle);
  },

  orders: () =>
    serve((request, response) => {
      if (request.method !== "POST" || request.url !== "/orders") return sendNotFound(response);
      readBody(request, (body) => {
        const { lines } = JSON.parse(body);
        let total = 0;
        for (const { quantity, price } of lines) total += quantity * price;
        sendJson(response, { lines: lines.length, total });
      });
    }),

  static: () => {
    const files = new Map();
    const notModifiedHead = head(304);
    /** Returns a file from memory, read again when its entity tag may have changed: after a second, as in limmat. */
    const find = async (path) => {
      const known = files.get(path);
      if (known !== undefined && Date.now() - known.checked < 1000) return known;
      const { size, mtimeMs, mtime } = await stat(publicFolder + path);
      const etag = `"${size.toString(16)}-${mtimeMs.toString(16)}"`;
      const lines = ["content-type: text/css; charset=utf-8", `last-modified: ${mtime.toUTCString()}`, `etag: ${etag}`];
      const content = known?.etag === etag ? known.content : await readFile(publicFolder + path);
      const file = { etag, content, head: head(200, ...lines), line: `etag: ${etag}\r\n`, checked: Date.now() };
      files.set(path, file);
      return file;
    };
    const reply = (request, response, file) => {
      if (request.headers["if-none-match"] === file.etag) sendNothing(response, notModifiedHead, file.line);
      else send(response, file.head, file.content);
    };
    return serve((request, response) => {
      const path = request.url;
      const known = files.get(path);
      if (known !== undefined && Date.now() - known.checked < 1000) reply(request, response, known);
      else if (!/^\/assets\/[\w-]+\.css$/.test(path)) sendNotFound(response);
      else
        find(path).then(
          (file) => reply(request, response, file),
          () => sendNotFound(response),
        );
    });
  },

  site: async () => (await import("./raw-site.mjs")).site(),
  login: async () => (await import("./raw-site.mjs")).loginSite(),
  "todos-postgresql": async () => (await import("./raw-site.mjs")).todos("postgresql"),
  "todos-sqlite": async () => (await import("./raw-site.mjs")).todos("sqlite"),
  "todos-mariadb": async () => (await import("./raw-site.mjs")).todos("mariadb"),
  world: async () => (await import("./raw-world.mjs")).world(),
  cached: async () => (await import("./raw-world.mjs")).world(),
  crud: async () => (await import("./raw-crud.mjs")).crud(),
  plaintext: async () => (await import("./raw-wire.mjs")).plaintext(),
  tls: async () => (await import("./raw-wire.mjs")).tls(),
  processes: async () => (await import("./raw-wire.mjs")).processes(),
  events: async () => (await import("./raw-wire.mjs")).events(),
  report: async () => (await import("./raw-bodies.mjs")).report(),
  upload: async () => (await import("./raw-bodies.mjs")).upload(),
  assets: async () => (await import("./raw-bodies.mjs")).assets(),
});
