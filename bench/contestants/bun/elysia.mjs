// Elysia on Bun: elysiajs.com.
import { Elysia } from "elysia";
import { contestant } from "../../harness/contestant.mjs";
import { resources } from "../../work/data.mjs";

const listen = (app) => app.listen({ hostname: "127.0.0.1", port: 0 }).server.port;

await contestant({
  json: () => listen(new Elysia().get("/hello/:name", ({ params: { name } }) => ({ hello: name }))),

  plaintext: () => listen(new Elysia().get("/plaintext", () => "Hello, World!")),

  routes: () => {
    const app = new Elysia();
    for (const resource of resources) {
      app.get(`/${resource}`, () => ({ action: `${resource}.index` }));
      app.get(`/${resource}/new`, () => ({ action: `${resource}.new` }));
      for (const [suffix, action] of [
        ["", "show"],
        ["/edit", "edit"],
        ["/items/:item", "item"],
      ])
        app.get(`/${resource}/:id${suffix}`, ({ params }) => ({ action: `${resource}.${action}`, ...params }));
    }
    return listen(app);
  },

  middlewares: () => {
    const app = new Elysia();
    for (let n = 0; n < 10; n += 1)
      app.onBeforeHandle((context) => {
        context.middlewares = (context.middlewares ?? 0) + 1;
      });
    app.get("/hello/:name", ({ params: { name }, middlewares }) => ({ hello: name, middlewares }));
    return listen(app);
  },

  orders: () =>
    listen(
      new Elysia().post("/orders", ({ body: { lines } }) => {
        let total = 0;
        for (const { quantity, price } of lines) total += quantity * price;
        return { lines: lines.length, total };
      }),
    ),
});
