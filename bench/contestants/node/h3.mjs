// h3 2 on Node: h3.dev.
import { getRouterParam, H3, readBody, serve } from "h3";
import { contestant } from "../../harness/contestant.mjs";
import { resources } from "../../work/data.mjs";

async function listen(app) {
  const server = serve(app, { hostname: "127.0.0.1", port: 0, silent: true });
  await server.ready();
  return Number(new URL(server.url).port);
}

await contestant({
  json: () =>
    listen(new H3().get("/hello/:name", (event) => ({ hello: getRouterParam(event, "name", { decode: true }) }))),

  plaintext: () =>
    listen(
      new H3().get("/plaintext", (event) => {
        event.res.headers.set("content-type", "text/plain");
        return "Hello, World!";
      }),
    ),

  routes: () => {
    const app = new H3();
    for (const resource of resources) {
      app.get(`/${resource}`, () => ({ action: `${resource}.index` }));
      app.get(`/${resource}/new`, () => ({ action: `${resource}.new` }));
      for (const [suffix, action] of [
        ["", "show"],
        ["/edit", "edit"],
        ["/items/:item", "item"],
      ])
        app.get(`/${resource}/:id${suffix}`, (event) => ({
          action: `${resource}.${action}`,
          ...event.context.params,
        }));
    }
    return listen(app);
  },

  middlewares: () => {
    const app = new H3();
    for (let n = 0; n < 10; n += 1)
      app.use((event) => {
        event.context.middlewares = (event.context.middlewares ?? 0) + 1;
      });
    app.get("/hello/:name", (event) => ({
      hello: getRouterParam(event, "name"),
      middlewares: event.context.middlewares,
    }));
    return listen(app);
  },

  orders: () =>
    listen(
      new H3().post("/orders", async (event) => {
        const { lines } = await readBody(event);
        let total = 0;
        for (const { quantity, price } of lines) total += quantity * price;
        return { lines: lines.length, total };
      }),
    ),
});
