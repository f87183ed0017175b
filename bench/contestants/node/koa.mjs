// Koa 3 with @koa/router and @koa/bodyparser: koajs.com and the README of each.
import { createServer } from "node:http";
import Router from "@koa/router";
import Koa from "koa";
import { contestant, listen } from "../../harness/contestant.mjs";
import { resources } from "../../work/data.mjs";

const serve = (app, router) => listen(createServer(app.use(router.routes()).use(router.allowedMethods()).callback()));

await contestant({
  json: () => {
    const router = new Router();
    router.get("/hello/:name", (ctx) => {
      ctx.body = { hello: ctx.params.name };
    });
    return serve(new Koa(), router);
  },

  plaintext: () => {
    const router = new Router();
    router.get("/plaintext", (ctx) => {
      ctx.type = "text/plain";
      ctx.body = "Hello, World!";
    });
    return serve(new Koa(), router);
  },

  routes: () => {
    const router = new Router();
    for (const resource of resources) {
      router.get(`/${resource}`, (ctx) => {
        ctx.body = { action: `${resource}.index` };
      });
      router.get(`/${resource}/new`, (ctx) => {
        ctx.body = { action: `${resource}.new` };
      });
      for (const [suffix, action] of [
        ["", "show"],
        ["/edit", "edit"],
        ["/items/:item", "item"],
      ])
        router.get(`/${resource}/:id${suffix}`, (ctx) => {
          ctx.body = { action: `${resource}.${action}`, ...ctx.params };
        });
    }
    return serve(new Koa(), router);
  },

  middlewares: () => {
    const app = new Koa();
    for (let n = 0; n < 10; n += 1)
      app.use(async (ctx, next) => {
        ctx.state.middlewares = (ctx.state.middlewares ?? 0) + 1;
        await next();
      });
    const router = new Router();
    router.get("/hello/:name", (ctx) => {
      ctx.body = { hello: ctx.params.name, middlewares: ctx.state.middlewares };
    });
    return serve(app, router);
  },

  orders: async () => {
    const { bodyParser } = await import("@koa/bodyparser");
    const router = new Router();
    router.post("/orders", (ctx) => {
      const { lines } = ctx.request.body;
      let total = 0;
      for (const { quantity, price } of lines) total += quantity * price;
      ctx.body = { lines: lines.length, total };
    });
    return serve(new Koa().use(bodyParser()), router);
  },
});
