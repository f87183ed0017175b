// Hono on @hono/node-server.
import { serve } from "@hono/node-server";
import { contestant } from "../../harness/contestant.mjs";
import { publicFolder } from "../../work/data.mjs";
import { applications } from "../hono.mjs";

const listen = (app) =>
  new Promise((resolve) => serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => resolve(port)));

const started = Object.entries(applications).map(([name, make]) => [name, async () => listen(await make())]);

await contestant({
  ...Object.fromEntries(started),
  static: async () => {
    const { Hono } = await import("hono");
    const { etag } = await import("hono/etag");
    const { serveStatic } = await import("@hono/node-server/serve-static");
    return listen(new Hono().use("/assets/*", etag(), serveStatic({ root: publicFolder })));
  },
});
