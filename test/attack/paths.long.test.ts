import assert from "node:assert/strict";
import { test } from "node:test";
import { agree } from "./paths.ts";

test("guard, router and static files parse every path in the same way", async (t) => {
  const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
  t.diagnostic(`SEED=${seed}`);
  const { refused, answered, served } = await agree(20_000, seed);
  assert.ok(refused > 2000 && answered > 2000 && served > 200, JSON.stringify({ refused, answered, served }));
});
