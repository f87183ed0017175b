import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { parse, valueOf } from "../src/services/metrics/engine/exposition-parser.test.ts";
import { documentExamples } from "./document-examples.ts";
import { root } from "./sources.ts";

// Code outside of the page.
const end = `
const shop = App.create({ services: [metrics, printer, Web.Http.service({ router })] });
await shop.start({ server: false });
console.log(await (await shop.request("/metrics")).text());
await shop.stop();
`;

test("the examples of the guide's page on metrics run, and return their metrics", async () => {
  const page = readFileSync(join(root, "docs/guide/metrics.md"), "utf8");
  const code = [...documentExamples("docs/guide/metrics.md").map((example) => example.code), end].join("\n");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@limmat/source", "--input-type=module-typescript", "-e", code],
    { cwd: root, env: { ...process.env, FRAMEWORK_ENV: "test", LOG_LEVEL: "error" } },
  );
  const text = stdout.trimStart().replace(/\n+$/, "\n");
  assert.equal(valueOf(text, "shop_orders_total", { country: "ch" }), 1);
  assert.equal(valueOf(text, "shop_basket_items_bucket", { le: "5" }), 1);
  assert.equal(valueOf(text, "shop_open_streams"), 1);
  assert.equal(valueOf(text, "shop_stock_items"), 12);
  assert.equal(valueOf(text, "shop_printer_paper_sheets"), 500);
  // The page lists existing metrics only. The example starts no server, and not every system counts open files.
  const others = ["http_server_request_duration_seconds", "process_open_fds"];
  const named = [...page.matchAll(/`((?:http_server|process|nodejs)_\w+)`/g)].map(([, name = ""]) => name);
  const found = [...parse(text).keys()];
  assert.deepEqual(
    named.filter((name) => !found.includes(name) && !others.includes(name)),
    [],
  );
});
