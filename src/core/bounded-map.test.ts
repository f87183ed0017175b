import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedMap } from "./index.ts";

test("a bounded map evicts the entry whose last set is longest ago", () => {
  const map = new BoundedMap<string | undefined, number>(2);
  map.set(undefined, 1);
  map.set("b", 2);
  map.set(undefined, 3);
  assert.equal(map.get("b"), 2);
  map.set("c", 4);
  assert.deepEqual([map.get(undefined), map.get("b"), map.get("c"), map.size], [3, undefined, 4, 2]);
  map.set("d", 5);
  assert.equal(map.get(undefined), undefined);
  assert.deepEqual([map.delete("c"), map.delete("c"), map.size], [true, false, 1]);
  map.clear();
  assert.equal(map.size, 0);
});

test("a bounded map makes a value once, which counts as a set", () => {
  const map = new BoundedMap<string, boolean>(2);
  const keys: string[] = [];
  const make = (key: string): boolean => keys.push(key) > 99;
  for (const key of ["a", "b", "a", "c", "a", "b"]) assert.equal(map.getOrInsertComputed(key, make), false);
  assert.deepEqual(keys, ["a", "b", "c", "b"]);
});
