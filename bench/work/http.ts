import { resources } from "./data.mjs";
import { jsonWork, type Work } from "./work.ts";

const orders = (bytes: number): string => {
  const lines: { sku: string; name: string; quantity: number; price: number }[] = [];
  const body = (): string => JSON.stringify({ customer: "Ada Lovelace", lines });
  while (body().length + 80 < bytes) {
    const n = lines.length;
    lines.push({ sku: `SKU-${1000 + n}`, name: `Article number ${n}`, quantity: 1 + (n % 9), price: 100 + (n % 50) });
  }
  return body();
};

const orderWork = (name: string, bytes: number): Work => {
  const body = orders(bytes);
  const { lines } = JSON.parse(body) as { lines: readonly { quantity: number; price: number }[] };
  const total = lines.reduce((sum, line) => sum + line.quantity * line.price, 0);
  return jsonWork(
    { group: "http", name, title: `JSON body of ${body.length} bytes parsed and summed`, application: "orders" },
    [
      [
        "/orders",
        { lines: lines.length, total },
        { method: "POST", headers: { "content-type": "application/json" }, body },
      ],
    ],
  );
};

/** Benchmarks without pages and databases. */
export const httpWorks: readonly Work[] = [
  jsonWork({ group: "http", name: "json", title: "JSON with a path parameter", application: "json" }, [
    ["/hello/world", { hello: "world" }],
  ]),
  jsonWork(
    { group: "http", name: "routes", title: "500 routes, 200 of them requested in turn", application: "routes" },
    resources
      .filter((_, index) => index % 2 === 0)
      .flatMap((resource, n) => [
        [`/${resource}`, { action: `${resource}.index` }] as const,
        [`/${resource}/new`, { action: `${resource}.new` }] as const,
        [`/${resource}/${n}/edit`, { action: `${resource}.edit`, id: String(n) }] as const,
        [`/${resource}/${n}/items/7`, { action: `${resource}.item`, id: String(n), item: "7" }] as const,
      ]),
  ),
  jsonWork({ group: "http", name: "middlewares", title: "JSON behind ten middlewares", application: "middlewares" }, [
    ["/hello/world", { hello: "world", middlewares: 10 }],
  ]),
  orderWork("body-1k", 1_000),
  orderWork("body-100k", 100_000),
];
