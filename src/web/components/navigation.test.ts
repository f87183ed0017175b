import assert from "node:assert/strict";
import { test } from "node:test";
import { Web } from "limmat";
import { navigation } from "limmat/components";

const pages = [
  ["/", "Home"],
  ["/books", "Books"],
] as const;

/** Returns the links of the navigation on a page. */
async function linksOn(path: string, label?: string): Promise<string> {
  const router = Web.any("/*rest", (request) => Web.Response.html(navigation(request, pages, { label })));
  const home = Web.get("/", (request) => Web.Response.html(navigation(request, pages, { label })));
  const response = await Web.Http.service({ router: Web.choose([home, router]) }).fetch(
    new Request(`http://localhost${path}`),
  );
  return (await response.text()).replaceAll(/\s+/g, " ").replaceAll(/> </g, "><");
}

test("a navigation marks the current page, and the one above it", async () => {
  const [home, books] = ['<a href="/">Home</a>', '<a href="/books">Books</a>'];
  const current = (link: string, value = "page"): string => link.replace(">", ` aria-current="${value}">`);
  for (const [path, links] of [
    ["/", current(home) + books],
    ["/?page=2", current(home) + books],
    ["/books", home + current(books)],
    ["/books/", home + current(books)],
    ["/books/1/edit", home + current(books, "true")],
    ["/bookshelf", home + books],
  ] as const) {
    assert.equal(await linksOn(path), `<nav aria-label="Main">${links}</nav>`, path);
  }
  assert.match(await linksOn("/", "Hauptmenü"), /^<nav aria-label="Hauptmenü">/);
});
