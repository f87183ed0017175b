import assert from "node:assert/strict";
import { test } from "node:test";
import { pluralOf, singularOf } from "./index.ts";

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
  const [one = "", many = ""] = pair.trim().split(" ");
  test(`one ${one}, many ${many}`, () => {
    assert.equal(pluralOf(one), many);
    assert.equal(singularOf(many), one);
  });
}

test("a word that is no plural is its own singular", () => {
  for (const word of ["todo", "status", "address", "bus", "canvas", "analysis", "photo"]) {
    assert.equal(singularOf(word), word);
  }
});
