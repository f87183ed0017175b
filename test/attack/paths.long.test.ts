import assert from "node:assert/strict";
import { test } from "node:test";
import { agree } from "./paths.ts";
import { rounds } from "../rounds.ts";

test("guard, router and static files parse every path in the same way", async (t) => {
  const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
  t.diagnostic(`SEED=${seed}`);
  const count = rounds(20_000);
  const { refused, answered, served } = await agree(count, seed);
  const [few, fewer] = [count / 10, count / 100];
  assert.ok(refused > few && answered > few && served > fewer, JSON.stringify({ refused, answered, served }));
});
