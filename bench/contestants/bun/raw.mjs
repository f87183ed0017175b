// Bun.serve without libraries: the baseline on Bun.
import { contestant } from "../../harness/contestant.mjs";
import { resources } from "../../work/data.mjs";

const listen = (options) =>
  Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(null, { status: 404 }), ...options }).port;

await contestant({
  json: () => listen({ routes: { "/hello/:name": { GET: ({ params }) => Response.json({ hello: params.name }) } } }),

  plaintext: () => listen({ routes: { "/plaintext": { GET: () => new Response("Hello, World!") } } }),

  routes: () => {
    const routes = {};
    for (const resource of resources) {
      routes[`/${resource}`] = { GET: () => Response.json({ action: `${resource}.index` }) };
      routes[`/${resource}/new`] = { GET: () => Response.json({ action: `${resource}.new` }) };
      for (const [suffix, action] of [
        ["", "show"],
        ["/edit", "edit"],
        ["/items/:item", "item"],
      ])
        routes[`/${resource}/:id${suffix}`] = {
          GET: ({ params }) => Response.json({ action: `${resource}.${action}`, ...params }),
        };
    }
    return listen({ routes });
  },

  middlewares: () => {
    let handle = (request, count) => Response.json({ hello: request.params.name, middlewares: count });
    for (let n = 0; n < 10; n += 1) {
      const next = handle;
      handle = (request, count) => next(request, count + 1);
    }
    return listen({ routes: { "/hello/:name": { GET: (request) => handle(request, 0) } } });
  },

  orders: () =>
    listen({
      routes: {
        "/orders": {
          POST: async (request) => {
            const { lines } = await request.json();
            let total = 0;
            for (const { quantity, price } of lines) total += quantity * price;
            return Response.json({ lines: lines.length, total });
          },
        },
      },
    }),
});
