// Hand-written site on node:http: signed cookie session, masked CSRF tokens, flash, etag, escaped HTML.
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { listen } from "../../harness/contestant.mjs";
import { aboutText, rows, secret } from "../../work/data.mjs";
import { openTodos } from "./raw-todos.mjs";

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const unsafe = /[&<>"']/g;
const escape = (text) => (text.search(unsafe) === -1 ? text : text.replace(unsafe, (character) => escapes[character]));

const sign = (value) => createHmac("sha256", secret).update(value).digest("base64url");

/** Returns the session of the cookie, or an empty one if the cookie is missing or its signature is wrong. */
function readSession(header) {
  const found = /(?:^|; )session=([^;.]+)\.([^;]+)/.exec(header ?? "");
  if (found === null) return {};
  const expected = Buffer.from(sign(found[1]));
  const given = Buffer.from(found[2]);
  if (expected.length !== given.length || !timingSafeEqual(expected, given)) return {};
  return JSON.parse(Buffer.from(found[1], "base64url").toString());
}

function sessionCookie(session) {
  const value = Buffer.from(JSON.stringify(session)).toString("base64url");
  return `session=${value}.${sign(value)}; Path=/; HttpOnly; SameSite=Lax`;
}

/** Returns the secret of the session with a new mask, so that no two pages contain the same bytes (BREACH). */
function maskedToken(session) {
  const key = Buffer.from(session.csrf, "base64url");
  const token = Buffer.alloc(64);
  randomBytes(32).copy(token);
  for (let n = 0; n < 32; n += 1) token[32 + n] = token[n] ^ key[n];
  return token.toString("base64url");
}

function isToken(session, sent) {
  const token = Buffer.from(sent ?? "", "base64url");
  if (token.length !== 64 || session.csrf === undefined) return false;
  for (let n = 0; n < 32; n += 1) token[32 + n] ^= token[n];
  return timingSafeEqual(token.subarray(32), Buffer.from(session.csrf, "base64url"));
}

const todoForm = (session, title, error) => `<form method="post" action="/todos">
<input type="hidden" name="csrf" value="${maskedToken(session)}">
<label>Title <input name="title" value="${escape(title)}"></label>
${error === undefined ? "" : `<p class="error">${escape(error)}</p>`}
<label>Done <input type="checkbox" name="done"></label>
<button>Save</button>
</form>`;

const search = ({ filter, first, last, total }) =>
  `<form method="get" action="/todos"><label>Filter <input name="filter" value="${escape(filter)}"></label>
<button>Search</button></form>
<p>${first} to ${last} of ${total}</p>`;

function table(items) {
  let html = `<table>
<thead><tr><th>Title</th><th>Done</th><th></th></tr></thead>
<tbody>`;
  for (const { id, title, done } of items)
    html += `
<tr><td><a href="/todos/${escape(id)}">${escape(title)}</a></td><td>${done ? "yes" : "no"}</td><td><a href="/todos/${escape(id)}/edit">Edit</a></td></tr>`;
  return `${html}
</tbody>
</table>`;
}

/** Sends a page and clears the flash that it shows. */
function sendPage(request, response, session, status, { heading, text, items, found, title = "", error }) {
  const headers = { "content-type": "text/html; charset=utf-8" };
  const { notice } = session;
  if (notice !== undefined || session.csrf === undefined) {
    delete session.notice;
    session.csrf ??= randomBytes(32).toString("base64url");
    headers["set-cookie"] = sessionCookie(session);
  }
  const html = `<!doctype html>
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
<p>Signed in as ${escape(session.name ?? "nobody")}</p>
</header>
${notice === undefined ? "" : `<p class="notice" role="status">${escape(notice)}</p>`}
<main>
<h1>${heading}</h1>
${text === undefined ? todoForm(session, title, error) : `<p>${escape(text)}</p>`}
${found === undefined ? "" : search(found)}
${items === undefined ? "" : table(items)}
</main>
<footer><p>The same page, sent by every contestant.</p></footer>
</body>
</html>
`;
  // A page with a token never repeats, so it has no entity tag.
  if (status === 200 && text !== undefined) {
    headers.etag = `"${createHash("sha1").update(html).digest("base64url")}"`;
    if (request.headers["if-none-match"] === headers.etag) return response.writeHead(304, headers).end();
  }
  headers["content-length"] = Buffer.byteLength(html);
  response.writeHead(status, headers).end(html);
}

function redirect(response, session, location) {
  response.writeHead(303, { location, "set-cookie": sessionCookie(session), "content-length": 0 }).end();
}

function sendText(response, status, text) {
  const headers = { "content-type": "text/plain; charset=utf-8", "content-length": Buffer.byteLength(text) };
  response.writeHead(status, headers).end(text);
}

const plain = (response, status) => response.writeHead(status, { "content-length": 0 }).end();

/** Parses the fields of an urlencoded body. */
async function formOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return new URLSearchParams(Buffer.concat(parts).toString());
}

const handler = (todos, accounts) => async (request, response) => {
  const [path, query = ""] = request.url.split("?", 2);
  const session = readSession(request.headers.cookie);
  if (request.method === "GET" && path === "/enter") {
    session.name = "Ada";
    session.notice = "Welcome, Ada";
    session.csrf ??= randomBytes(32).toString("base64url");
    redirect(response, session, "/site");
  } else if (request.method === "GET" && path === "/about") {
    sendPage(request, response, session, 200, { heading: "About", text: aboutText });
  } else if (request.method === "GET" && path === "/site") {
    sendPage(request, response, session, 200, { heading: "Todos", items: rows });
  } else if (request.method === "GET" && path === "/todos" && todos !== undefined) {
    const asked = new URLSearchParams(query);
    const filter = asked.get("filter") ?? "";
    const offset = Number(asked.get("offset") ?? 0);
    const limit = Math.min(Number(asked.get("limit") ?? 50), 1000);
    if (!Number.isInteger(offset) || !Number.isInteger(limit) || offset < 0 || limit < 1) return plain(response, 400);
    const [items, total] = await todos.search(filter, asked.get("sort") === "asc" ? "asc" : "desc", limit, offset);
    const found = { filter, total, first: offset + 1, last: offset + items.length };
    sendPage(request, response, session, 200, { heading: "Todos", items, found });
  } else if (request.method === "POST" && path === "/todos" && todos !== undefined) {
    const form = await formOf(request);
    if (!isToken(session, form.get("csrf"))) return plain(response, 403);
    const title = form.get("title") ?? "";
    const error =
      title.trim() === "" ? "Please enter a title" : title.length > 200 ? "At most 200 characters, please" : undefined;
    if (error !== undefined) return sendPage(request, response, session, 422, { heading: "New todo", title, error });
    await todos.insert(title, form.get("done") === "on");
    session.notice = "Todo created";
    redirect(response, session, "/todos");
  } else if (request.method === "POST" && path === "/login" && accounts !== undefined) {
    const form = await formOf(request);
    if (!isToken(session, form.get("csrf"))) return plain(response, 403);
    const id = await accounts.login(form.get("email") ?? "", form.get("password") ?? "");
    if (id === undefined) return sendText(response, 422, "Wrong e-mail address or password");
    redirect(response, { user_id: id, csrf: randomBytes(32).toString("base64url") }, "/account");
  } else if (request.method === "GET" && path === "/account" && accounts !== undefined) {
    if (session.user_id === undefined) return plain(response, 401);
    sendText(response, 200, await accounts.email(session.user_id));
  } else plain(response, 404);
};

export const site = () => listen(createServer(handler(undefined)));

export const todos = async (database) => listen(createServer(handler(await openTodos(database))));

export const login = async () => {
  const { openAccounts } = await import("./raw-accounts.mjs");
  return listen(createServer(handler(undefined, await openAccounts())));
};
