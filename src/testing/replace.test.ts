import assert from "node:assert/strict";
import { test } from "node:test";
import { Configuration } from "../config/index.ts";
import { configuration } from "./index.ts";

test("configuration restores the previous values at the end of its scope", () => {
  const values = (): unknown => ["LIMMAT_A", "LIMMAT_B"].map(Configuration.readString);
  using _ = configuration({ LIMMAT_A: "1" });
  {
    using __ = configuration({ LIMMAT_A: "2", LIMMAT_B: "2" });
    assert.deepEqual(values(), ["2", "2"]);
  }
  assert.deepEqual(values(), ["1", undefined]);
});
