// Bun.serve with the headers that limmat sends by default: what they cost without a framework.
import { contestant } from "../../harness/contestant.mjs";
import { securityHeaders } from "../../work/data.mjs";

const prefix = crypto.randomUUID().slice(0, 8);
let count = 0;

await contestant({
  json: () =>
    Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response(null, { status: 404 }),
      routes: {
        "/hello/:name": {
          GET: ({ params }) => {
            const id = prefix + (count++).toString(16).padStart(8, "0");
            return Response.json({ hello: params.name }, { headers: { ...securityHeaders, "x-request-id": id } });
          },
        },
      },
    }).port,
});
