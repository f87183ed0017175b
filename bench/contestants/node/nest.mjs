// NestJS 12 on its Fastify adapter. Decorators are called as functions, like in compiled code.
import "reflect-metadata";
import { Body, Controller, Get, HttpCode, Module, Param, Post, Req } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { contestant } from "../../harness/contestant.mjs";
import { publicFolder, resources } from "../../work/data.mjs";

/** Decorates a method and its parameters, as TypeScript's compiled code does. */
function decorate(controller, method, decorators, parameters) {
  const descriptor = Object.getOwnPropertyDescriptor(controller.prototype, method);
  parameters.forEach((parameter, index) => parameter(controller.prototype, method, index));
  for (const decorator of decorators) decorator(controller.prototype, method, descriptor);
}

async function listen(controllers, configure = () => {}) {
  const root = class {};
  Module({ controllers })(root);
  const app = await NestFactory.create(root, new FastifyAdapter(), { logger: false });
  await configure(app);
  await app.listen(0, "127.0.0.1");
  return app.getHttpServer().address().port;
}

await contestant({
  json: () => {
    class Hello {
      hello(name) {
        return { hello: name };
      }
    }
    decorate(Hello, "hello", [Get(":name")], [Param("name")]);
    Controller("hello")(Hello);
    return listen([Hello]);
  },

  routes: () =>
    listen(
      resources.map((resource) => {
        const found = class {
          index() {
            return { action: `${resource}.index` };
          }
          new() {
            return { action: `${resource}.new` };
          }
          show(id) {
            return { action: `${resource}.show`, id };
          }
          edit(id) {
            return { action: `${resource}.edit`, id };
          }
          item(id, item) {
            return { action: `${resource}.item`, id, item };
          }
        };
        decorate(found, "index", [Get()], []);
        decorate(found, "new", [Get("new")], []);
        decorate(found, "show", [Get(":id")], [Param("id")]);
        decorate(found, "edit", [Get(":id/edit")], [Param("id")]);
        decorate(found, "item", [Get(":id/items/:item")], [Param("id"), Param("item")]);
        Controller(resource)(found);
        return found;
      }),
    ),

  middlewares: () => {
    class Hello {
      hello(name, request) {
        return { hello: name, middlewares: request.middlewares };
      }
    }
    decorate(Hello, "hello", [Get(":name")], [Param("name"), Req()]);
    Controller("hello")(Hello);
    // Hooks of the adapter: Nest's own middleware needs @fastify/middie and costs more.
    return listen([Hello], (app) => {
      const fastify = app.getHttpAdapter().getInstance();
      fastify.decorateRequest("middlewares", 0);
      for (let n = 0; n < 10; n += 1)
        fastify.addHook("onRequest", async (request) => {
          request.middlewares += 1;
        });
    });
  },

  orders: () => {
    class Orders {
      create({ lines }) {
        let total = 0;
        for (const { quantity, price } of lines) total += quantity * price;
        return { lines: lines.length, total };
      }
    }
    decorate(Orders, "create", [Post(), HttpCode(200)], [Body()]);
    Controller("orders")(Orders);
    return listen([Orders]);
  },

  static: () => listen([], (app) => app.useStaticAssets({ root: publicFolder })),
});
