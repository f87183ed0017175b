// Hand-written JSON resource on node:http and pg.
import { connect } from "./postgresql.mjs";
import { head, readBody, send, sendJson, sendNothing, sendNotFound, serve } from "./raw-http.mjs";

const statements = {
  find: { name: "find", text: "select id, title, done from todos where id = $1" },
  list: { name: "list", text: "select id, title, done from todos order by created_at desc limit $1" },
  store: {
    name: "store",
    text: `insert into todos (id, title, done) values ($1, $2, $3)
      on conflict (id) do update set title = $2, done = $3, updated_at = now()`,
  },
  remove: { name: "remove", text: "delete from todos where id = $1" },
};

const noContentHead = head(204);
const invalidHead = head(422, "content-type: application/json");
const [badHead, notAllowedHead] = [head(400), head(405)];
const prefix = "/items/";
const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;

const toItem = ([id, title, done]) => ({ id, title, done: done === "t" });

/** Returns the valid content of a body, or `undefined`. */
function itemOf(body) {
  try {
    const { title, done } = JSON.parse(body);
    const isValid =
      typeof title === "string" && title.trim() !== "" && title.length <= 200 && typeof done === "boolean";
    return isValid ? { title, done } : undefined;
  } catch {
    return undefined;
  }
}

export async function crud() {
  const [read, write] = await Promise.all([connect(2), connect(8)]);

  async function sendItem(response, id) {
    const [row] = await read(statements.find, [id]);
    if (row === undefined) sendNotFound(response);
    else sendJson(response, toItem(row));
  }

  async function sendList(response, url) {
    const limit = Number(new URLSearchParams(url.slice(url.indexOf("?"))).get("limit") ?? 50);
    if (!Number.isInteger(limit) || limit < 1 || limit > 1000) return send(response, badHead, "");
    const rows = await read(statements.list, [String(limit)]);
    sendJson(response, rows.map(toItem));
  }

  async function store(response, id, item) {
    if (item === undefined) return send(response, invalidHead, '{"error":"invalid"}');
    await write(statements.store, [id, item.title, item.done ? "t" : "f"]);
    sendNothing(response, noContentHead);
  }

  return serve((request, response) => {
    const { url, method } = request;
    if (method === "GET" && url.startsWith("/items?")) return void sendList(response, url);
    const id = url.slice(prefix.length);
    if (!url.startsWith(prefix) || !uuid.test(id)) sendNotFound(response);
    else if (method === "GET") void sendItem(response, id);
    else if (method === "PUT") readBody(request, (body) => void store(response, id, itemOf(body)));
    else if (method === "DELETE") void write(statements.remove, [id]).then(() => sendNothing(response, noContentHead));
    else send(response, notAllowedHead, "");
  });
}
