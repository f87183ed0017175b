import assert from "node:assert/strict";
import { test } from "node:test";
import { pluralize, singularize } from "./index.ts";

const pairs = `
  todo todos, user users, category categories, day days, key keys, box boxes, bus buses, class classes, wish wishes,
  church churches, address addresses, status statuses, quiz quizzes, person people, child children, man men,
  woman women, analysis analyses, basis bases, index indices, matrix matrices, knife knives, leaf leaves, half halves,
  potato potatoes, hero heroes, photo photos, query queries, medium media, series series, news news, mouse mice,
  blog_post blog_posts, order_item order_items, tax_category tax_categories, sales_person sales_people, course courses,
  house houses, phase phases, release releases, invoice invoices, expense expenses, movie movies, cookie cookies,
  license licenses, purchase purchases, image images, message messages, page pages, table tables, file files,
  response responses, campus campuses, bonus bonuses, process processes, branch branches, company companies, database databases, axis axes, warehouse warehouses, size sizes, prize prizes,
  virus viruses, cause causes, thesis theses, bench benches, topping toppings, reply replies, toy toys, cache caches
`;

for (const pair of pairs.split(",")) {
  const [singular = "", plural = ""] = pair.trim().split(" ");
  test(`the plural of ${singular} is ${plural}`, () => {
    assert.equal(pluralize(singular), plural);
    assert.equal(singularize(plural), singular);
  });
}

test("a word that is not plural stays unchanged", () => {
  for (const word of ["todo", "status", "address", "bus", "canvas", "analysis", "photo"]) {
    assert.equal(singularize(word), word);
  }
});
