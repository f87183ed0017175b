import { createServer, type Server } from "node:http";
import { tracingChannel } from "node:diagnostics_channel";
import { App, Configuration, Web } from "limmat";
import { html } from "limmat/html";
import { secret } from "../work/data.mjs";

/** Benchmark that runs in its own process. */
export interface Work {
  readonly name: string;
  readonly open: () => Promise<Server>;
  /** Path of the request. */
  readonly path: string;
}

const hello = "/hello/world";
const get = Web.get("/hello/:name", ({ params }) => Web.Response.json({ hello: params.name }));
const page = Web.get("/page", () =>
  Web.Response.html(
    html`<!doctype html><title>Hello</title>
      <p>Hello, world</p>`,
  ),
);

const bare = (): Promise<Server> =>
  Promise.resolve(
    createServer((incoming, outgoing) => {
      const body = JSON.stringify({ hello: decodeURIComponent(incoming.url?.slice("/hello/".length) ?? "") });
      outgoing.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
      outgoing.end(body);
    }),
  );

/** Starts an application in production and returns its server. */
async function serve(router: Web.Router): Promise<Server> {
  Configuration.store([
    ["FRAMEWORK_SECRET", secret],
    ["LOG_LEVEL", "error"],
    ["PORT", "0"],
  ]);
  const listening = new Promise<Server>((resolve) => {
    const asyncStart = (message: unknown): void => resolve((message as { readonly server: Server }).server);
    tracingChannel("net.server.listen").subscribe({ asyncStart });
  });
  const root = new URL("../results/", import.meta.url).pathname;
  await App.create({ root, services: [Web.Http.service({ router })] }).start();
  return await listening;
}

const many = (count: number): Promise<Server> =>
  serve(
    Web.choose([
      ...Array.from({ length: count - 1 }, (_, at) =>
        Web.get(`/area${at % 20}/resource${at}/:id`, ({ params }) => Web.Response.json(params)),
      ),
      get,
    ]),
  );

/** All benchmarks. The first one is the baseline. */
export const works: readonly Work[] = [
  { name: "node:http, JSON", open: bare, path: hello },
  { name: "JSON, 10 routes", open: () => many(10), path: hello },
  { name: "JSON, 1,000 routes", open: () => many(1000), path: hello },
  {
    name: "JSON, stack api",
    open: () => serve(Web.choose([get], { middlewares: Web.Middleware.api() })),
    path: hello,
  },
  {
    name: "page, no stack",
    open: () => serve(Web.choose([page])),
    path: "/page",
  },
  {
    name: "page, stack site, unused",
    open: () => serve(Web.choose([page], { middlewares: Web.Middleware.site() })),
    path: "/page",
  },
];
