// Applications for connections, large bodies, processes and event streams, as Fastify's documentation and plugins have them.
import cluster from "node:cluster";
import { readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { constants } from "node:zlib";
import Fastify from "fastify";
import { assetsFolder, report as reportValue, tlsFiles } from "../../work/data.mjs";

const string = { type: "string" };
const integer = { type: "integer" };

export function plaintext() {
  const app = Fastify();
  app.get("/plaintext", (_request, reply) => reply.type("text/plain").send("Hello, World!"));
  return app;
}

export function hello(options) {
  const app = Fastify(options);
  app.get(
    "/hello/:name",
    { schema: { response: { 200: { type: "object", properties: { hello: string } } } } },
    async (request) => ({ hello: request.params.name }),
  );
  return app;
}

export const tls = () =>
  hello({
    http2: true,
    https: { allowHTTP1: true, cert: readFileSync(tlsFiles.cert), key: readFileSync(tlsFiles.key) },
  });

/** Two processes that share a port. */
export async function processes(listen) {
  if (!cluster.isPrimary) return listen(hello());
  process.on("SIGTERM", () => process.exit());
  const ports = Array.from(
    { length: 2 },
    () => new Promise((resolve) => cluster.fork().once("listening", ({ port }) => resolve(port))),
  );
  return (await Promise.all(ports))[0];
}

export async function report() {
  const app = Fastify();
  await app.register(import("@fastify/compress"), {
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  });
  const row = {
    type: "object",
    properties: {
      id: integer,
      sku: string,
      name: string,
      price: { type: "number" },
      tags: { type: "array", items: string },
      updated: string,
    },
  };
  const value = reportValue();
  app.get("/report", { schema: { response: { 200: { type: "array", items: row } } } }, async () => value);
  return app;
}

export async function upload() {
  const app = Fastify({ bodyLimit: 21_000_000 });
  await app.register(import("@fastify/multipart"), { limits: { fileSize: 20_000_000, files: 1 } });
  app.post("/upload", async (request) => {
    const {
      files: [file],
    } = await request.saveRequestFiles();
    return { size: (await stat(file.filepath)).size };
  });
  return app;
}

export async function assets() {
  const app = Fastify();
  await app.register(import("@fastify/static"), { root: assetsFolder, prefix: "/assets/", preCompressed: true });
  return app;
}

export function events() {
  const app = Fastify();
  const clients = new Set();
  app.get("/events", (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    reply.raw.write(":\n\n");
    clients.add(reply.raw);
    reply.raw.on("close", () => clients.delete(reply.raw));
  });
  app.post(
    "/events",
    { schema: { body: { type: "object", required: ["text"], properties: { text: string } } } },
    (request, reply) => {
      const event = `data: ${request.body.text}\n\n`;
      for (const client of clients) client.write(event);
      reply.code(204).send();
    },
  );
  return app;
}

const item = {
  type: "object",
  properties: { id: string, title: string, done: { type: "boolean" } },
};
const statements = {
  find: { name: "find", text: "select id, title, done from todos where id = $1" },
  list: { name: "list", text: "select id, title, done from todos order by created_at desc limit $1" },
  store: {
    name: "store",
    text: `insert into todos (id, title, done) values ($1, $2, $3)
      on conflict (id) do update set title = $2, done = $3, updated_at = now()`,
  },
  remove: { name: "remove", text: "delete from todos where id = $1" },
};

/** JSON resource with rows of PostgreSQL. */
export async function crud(postgres) {
  const app = Fastify();
  await postgres(app);
  const query = (statement, values) => app.pg.query({ ...statement, values });
  const params = { type: "object", properties: { id: { ...string, format: "uuid" } } };
  const querystring = {
    type: "object",
    properties: { limit: { ...integer, minimum: 1, maximum: 1000, default: 50 } },
  };
  const body = {
    type: "object",
    required: ["title", "done"],
    properties: { title: { ...string, maxLength: 200, pattern: "\\S" }, done: { type: "boolean" } },
  };
  app.get(
    "/items",
    { schema: { querystring, response: { 200: { type: "array", items: item } } } },
    async (request) => (await query(statements.list, [request.query.limit])).rows,
  );
  app.get("/items/:id", { schema: { params, response: { 200: item } } }, async (request, reply) => {
    const { rows } = await query(statements.find, [request.params.id]);
    return rows[0] ?? reply.code(404).send();
  });
  app.put("/items/:id", { schema: { params, body } }, async (request, reply) => {
    const { title, done } = request.body;
    await query(statements.store, [request.params.id, title, done]);
    return reply.code(204).send();
  });
  app.delete("/items/:id", { schema: { params } }, async (request, reply) => {
    await query(statements.remove, [request.params.id]);
    return reply.code(204).send();
  });
  return app;
}
