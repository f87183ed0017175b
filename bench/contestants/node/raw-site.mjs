// Hand-written site on node:http: signed cookie session, masked CSRF tokens, flash, etag, escaped HTML.
import { hash } from "node:crypto";
import { parse } from "node:querystring";
import { aboutText, rows } from "../../work/data.mjs";
import { escape, head, htmlHead, readBody, send, sendNothing, sendNotFound, serve } from "./raw-http.mjs";
import { isToken, maskedToken, newSecret, readSession, sessionLine } from "./raw-session.mjs";
import { openTodos } from "./raw-todos.mjs";

const invalidHead = head(422, "content-type: text/html; charset=utf-8");
const textHead = head(200, "content-type: text/plain; charset=utf-8");
const invalidTextHead = head(422, "content-type: text/plain; charset=utf-8");
const redirectHead = head(303);
const notModifiedHead = head(304);
const [badHead, unknownHead, forbiddenHead] = [head(400), head(401), head(403)];

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
  for (const { id, title, done } of items) {
    const path = escape(id);
    html += `
<tr><td><a href="/todos/${path}">${escape(title)}</a></td><td>${done ? "yes" : "no"}</td><td><a href="/todos/${path}/edit">Edit</a></td></tr>`;
  }
  return `${html}
</tbody>
</table>`;
}

const layout = (session, heading, content) => `<!doctype html>
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
${session.notice === undefined ? "" : `<p class="notice" role="status">${escape(session.notice)}</p>`}
<main>
<h1>${heading}</h1>
${content}
</main>
<footer><p>The same page, sent by every contestant.</p></footer>
</body>
</html>
`;

/** Returns the session without the flash and with a CSRF secret, and the line that stores it if it has changed. */
function withoutFlash(session) {
  if (session.notice === undefined && session.csrf !== undefined) return [session, ""];
  const next = { ...session, notice: undefined, csrf: session.csrf ?? newSecret() };
  return [next, sessionLine(next)];
}

/** Sends a page with a form. It never repeats, because of its token, so it has no entity tag. */
function sendForm(response, session, { title = "", error, found, items }) {
  const [next, line] = withoutFlash(session);
  const shown = session.notice === undefined ? next : { ...next, notice: session.notice };
  let content = todoForm(next, title, error);
  if (found !== undefined) content += `\n${search(found)}`;
  if (items !== undefined) content += `\n${table(items)}`;
  const heading = items === undefined ? "New todo" : "Todos";
  send(response, error === undefined ? htmlHead : invalidHead, layout(shown, heading, content), line);
}

function sendAbout(request, response, session) {
  const [, line] = withoutFlash(session);
  const html = layout(session, "About", `<p>${escape(aboutText)}</p>`);
  const etag = `"${hash("sha1", html, "base64url")}"`;
  const lines = `${line}etag: ${etag}\r\n`;
  if (request.headers["if-none-match"] === etag) sendNothing(response, notModifiedHead, lines);
  else send(response, htmlHead, html, lines);
}

const redirect = (response, session, location) =>
  send(response, redirectHead, "", `location: ${location}\r\n${sessionLine(session)}`);

async function sendTodos(response, session, todos, query) {
  const { filter = "", sort, offset: first = "0", limit: size = "50" } = parse(query);
  const [offset, limit] = [Number(first), Math.min(Number(size), 1000)];
  if (!Number.isInteger(offset) || !Number.isInteger(limit) || offset < 0 || limit < 1)
    return send(response, badHead, "");
  const [items, total] = await todos.search(filter, sort === "asc" ? "asc" : "desc", limit, offset);
  sendForm(response, session, { items, found: { filter, total, first: offset + 1, last: offset + items.length } });
}

async function createTodo(response, session, todos, { csrf, title = "", done }) {
  if (!isToken(session, csrf)) return send(response, forbiddenHead, "");
  const error =
    title.trim() === "" ? "Please enter a title" : title.length > 200 ? "At most 200 characters, please" : undefined;
  if (error !== undefined) return sendForm(response, session, { title, error });
  await todos.insert(title, done === "on");
  redirect(response, { ...session, notice: "Todo created" }, "/todos");
}

async function login(response, session, accounts, { csrf, email = "", password = "" }) {
  if (!isToken(session, csrf)) return send(response, forbiddenHead, "");
  const id = await accounts.login(email, password);
  if (id === undefined) return send(response, invalidTextHead, "Wrong e-mail address or password");
  redirect(response, { user_id: id, csrf: newSecret() }, "/account");
}

function get(request, response, { todos, accounts }) {
  const { url } = request;
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  const session = readSession(request.headers.cookie);
  if (path === "/site") sendForm(response, session, { items: rows });
  else if (path === "/todos" && todos !== undefined)
    return sendTodos(response, session, todos, mark === -1 ? "" : url.slice(mark + 1));
  else if (path === "/about") sendAbout(request, response, session);
  else if (path === "/enter")
    redirect(response, { name: "Ada", notice: "Welcome, Ada", csrf: session.csrf ?? newSecret() }, "/site");
  else if (path === "/account" && accounts !== undefined) {
    if (session.user_id === undefined) send(response, unknownHead, "");
    else return accounts.email(session.user_id).then((email) => send(response, textHead, email));
  } else sendNotFound(response);
  return undefined;
}

function post(request, response, { todos, accounts }) {
  const { url } = request;
  const handle =
    url === "/todos" && todos !== undefined
      ? (session, form) => createTodo(response, session, todos, form)
      : url === "/login" && accounts !== undefined
        ? (session, form) => login(response, session, accounts, form)
        : undefined;
  if (handle === undefined) sendNotFound(response);
  else readBody(request, (body) => void handle(readSession(request.headers.cookie), parse(body.latin1Slice())));
}

const serveSite = (stores) =>
  serve((request, response) => {
    if (request.method === "GET") void get(request, response, stores);
    else if (request.method === "POST") post(request, response, stores);
    else sendNotFound(response);
  });

export const site = () => serveSite({});

export const todos = async (database) => serveSite({ todos: await openTodos(database) });

export const loginSite = async () => {
  const { openAccounts } = await import("./raw-accounts.mjs");
  return serveSite({ accounts: await openAccounts() });
};
