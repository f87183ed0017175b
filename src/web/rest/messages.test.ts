import assert from "node:assert/strict";
import { test } from "node:test";
import { noticeOf } from "./messages.ts";

test("the label of an item is the singular of the last part of the resource name", () => {
  const labels = [
    ["todos", "Todo"],
    ["line-items", "Line item"],
    ["admin/order_items", "Order item"],
    ["blogPosts", "Blog post"],
    ["sales_people", "Sales person"],
    ["quizzes", "Quiz"],
    ["analyses", "Analysis"],
    ["heroes", "Hero"],
    ["caches", "Cache"],
    ["status", "Status"],
    ["news", "News"],
  ];
  for (const [name = "", label = ""] of labels) {
    assert.equal(noticeOf(name, undefined, "created"), `${label} added`);
  }
});
