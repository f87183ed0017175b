// oxfmt-ignore: the formatter would indent the templates, and the pages of the other contestants are not indented.
import { Form, Web } from "limmat";
import { html } from "limmat/html";
import { aboutText, rows } from "../../work/data.mjs";

// oxfmt-ignore
const layout = (request, heading, content) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}</title>
<link rel="stylesheet" href="/assets/site.css">
</head>
<body>
<header>
<nav><a href="/">Home</a> <a href="/todos">Todos</a></nav>
<p>Signed in as ${Web.Session.find("name", request) ?? "nobody"}</p>
</header>
${notice(Web.Flash.notice(request))}
<main>
<h1>${heading}</h1>
${content}
</main>
<footer><p>The same page, sent by every contestant.</p></footer>
</body>
</html>
`;

// oxfmt-ignore
const notice = (text) => (text === undefined ? undefined : html`<p class="notice" role="status">${text}</p>`);

// oxfmt-ignore
const fields = (csrf, form) => {
  const [title, error] = Form.find(form, "title");
  return html`<form method="post" action="/todos">
<input type="hidden" name="csrf" value="${csrf}">
<label>Title <input name="title" value="${title}"></label>
${error === undefined ? undefined : html`<p class="error">${error}</p>`}
<label>Done <input type="checkbox" name="done"></label>
<button>Save</button>
</form>`;
};

// oxfmt-ignore
const search = (filter, first, last, total) => html`<form method="get" action="/todos"><label>Filter <input name="filter" value="${filter}"></label>
<button>Search</button></form>
<p>${first} to ${last} of ${total}</p>`;

// oxfmt-ignore
const table = (items) => html`<table>
<thead><tr><th>Title</th><th>Done</th><th></th></tr></thead>
<tbody>${items.map(row)}
</tbody>
</table>`;

// oxfmt-ignore
const row = ({ id, title, done }) => html`
<tr><td><a href="/todos/${id}">${title}</a></td><td>${done ? "yes" : "no"}</td><td><a href="/todos/${id}/edit">Edit</a></td></tr>`;

/** Pages of the resource. */
export const view = {
  index: (
    request,
    csrf,
    /** @type {readonly [readonly any[], number]} */ [items, total],
    { filter = "", offset = 0 },
  ) => {
    const found = search(filter, offset + 1, offset + items.length, total);
    return layout(request, "Todos", [fields(csrf, []), found, table(items)]);
  },
  new: (request, csrf, form) => layout(request, "New todo", fields(csrf, form)),
};

/** Returns the routes that need no database. */
export const site = () => ({
  routes: [
    Web.get("/enter", () =>
      Web.Session.set([["name", "Ada"]], Web.Flash.setNotice("Welcome, Ada", Web.Response.redirect("/site"))),
    ),
    Web.get("/about", (request) => Web.Response.html(layout(request, "About", html`<p>${aboutText}</p>`))),
    Web.get("/site", (request) =>
      Web.Response.html(layout(request, "Todos", [fields(Web.Csrf.find(request), []), table(rows)])),
    ),
  ],
  services: [],
});
