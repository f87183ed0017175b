// Hand-written database works on node:http and pg.
import { connect } from "./postgresql.mjs";
import { escape, head, htmlHead, send, sendJson, sendNotFound, serve } from "./raw-http.mjs";

const badHead = head(400);

const random = () => 1 + Math.floor(Math.random() * 10_000);

const byId = { name: "find", text: "select id, randomnumber from world where id = $1" };
const all = { name: "all", text: "select id, randomnumber from world" };
const update = {
  name: "update",
  text: "update world set randomnumber = n from unnest($1::integer[], $2::integer[]) t (i, n) where id = i",
};
const allFortunes = { name: "fortunes", text: "select id, message from fortune" };

const toWorld = ([id, number]) => ({ id: Number(id), randomNumber: Number(number) });

function count(url) {
  const asked = Number.parseInt(url.slice(url.indexOf("=") + 1), 10);
  return Math.min(Math.max(asked || 1, 1), 500);
}

function sendFortunes(response, rows) {
  const fortunes = rows.map(([id, message]) => ({ id, message }));
  fortunes.push({ id: "0", message: "Additional fortune added at request time." });
  fortunes.sort((a, b) => (a.message < b.message ? -1 : 1));
  let list = "";
  for (const { id, message } of fortunes) list += `<tr><td>${id}</td><td>${escape(message)}</td></tr>`;
  send(
    response,
    htmlHead,
    `<!doctype html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>${list}</table></body></html>`,
  );
}

export async function world() {
  const query = await connect();
  const find = async () => toWorld((await query(byId, [String(random())]))[0]);
  const findMany = (url) => Promise.all(Array.from({ length: count(url) }, find));
  let cached;

  async function sendRow(response, id) {
    if (!/^\d{1,9}$/.test(id)) return send(response, badHead, "");
    const [row] = await query(byId, [id]);
    if (row === undefined) sendNotFound(response);
    else sendJson(response, toWorld(row));
  }

  async function sendUpdates(response, url) {
    const worlds = await findMany(url);
    for (const row of worlds) row.randomNumber = random();
    // In the order of their ids, to prevent deadlocks between requests.
    const sorted = worlds.toSorted((a, b) => a.id - b.id);
    const ids = sorted.map(({ id }) => id).join();
    await query(update, [`{${ids}}`, `{${sorted.map(({ randomNumber }) => randomNumber).join()}}`]);
    sendJson(response, worlds);
  }

  async function sendCached(response, url) {
    cached ??= query(all, []).then((rows) => new Map(rows.map((row) => [Number(row[0]), toWorld(row)])));
    const worlds = await cached;
    sendJson(
      response,
      Array.from({ length: count(url) }, () => worlds.get(random())),
    );
  }

  return serve((request, response) => {
    const { url } = request;
    if (request.method !== "GET") sendNotFound(response);
    else if (url.startsWith("/row/")) void sendRow(response, url.slice(5));
    else if (url === "/db") void find().then((row) => sendJson(response, row));
    else if (url.startsWith("/queries?")) void findMany(url).then((found) => sendJson(response, found));
    else if (url.startsWith("/updates?")) void sendUpdates(response, url);
    else if (url.startsWith("/cached-queries?")) void sendCached(response, url);
    else if (url === "/fortunes") void query(allFortunes, []).then((rows) => sendFortunes(response, rows));
    else sendNotFound(response);
  });
}
