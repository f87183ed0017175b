// Bun.serve with the headers that limmat sends by default: what they cost without a framework. One `Headers` object is built
// once, and each response copies it after its request id was replaced.
import { contestant } from "../../harness/contestant.mjs";
import { resources, securityHeaders } from "../../work/data.mjs";

const listen = (routes) =>
  Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(null, { status: 404 }), routes }).port;

const prefix = crypto.randomUUID().slice(0, 8);
let count = 0;

const headers = new Headers({ "content-type": "application/json", ...securityHeaders });
const init = { headers };

function respond(value) {
  headers.set("x-request-id", prefix + (count++).toString(16).padStart(8, "0"));
  return Response.json(value, init);
}

await contestant({
  json: () => listen({ "/hello/:name": { GET: ({ params }) => respond({ hello: params.name }) } }),

  routes: () => {
    const routes = {};
    for (const resource of resources) {
      routes[`/${resource}`] = { GET: () => respond({ action: `${resource}.index` }) };
      routes[`/${resource}/new`] = { GET: () => respond({ action: `${resource}.new` }) };
      for (const [suffix, action] of [
        ["", "show"],
        ["/edit", "edit"],
        ["/items/:item", "item"],
      ])
        routes[`/${resource}/:id${suffix}`] = {
          GET: ({ params }) => respond({ action: `${resource}.${action}`, ...params }),
        };
    }
    return listen(routes);
  },

  middlewares: () => {
    let handle = (request, passed) => respond({ hello: request.params.name, middlewares: passed });
    for (let n = 0; n < 10; n += 1) {
      const next = handle;
      handle = (request, passed) => next(request, passed + 1);
    }
    return listen({ "/hello/:name": { GET: (request) => handle(request, 0) } });
  },

  orders: () =>
    listen({
      "/orders": {
        POST: async (request) => {
          const { lines } = await request.json();
          let total = 0;
          for (const { quantity, price } of lines) total += quantity * price;
          return respond({ lines: lines.length, total });
        },
      },
    }),
});
