import { createServer } from "node:http";
import { listen } from "../../harness/contestant.mjs";
import { connect } from "./postgresql.mjs";

const random = () => 1 + Math.floor(Math.random() * 10_000);

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escape = (text) => text.replace(/[&<>"']/g, (character) => escapes[character]);

export async function world() {
  const query = await connect();
  const find = async () => {
    const [row] = await query("find", "select id, randomnumber from world where id = $1", [random()]);
    return { id: row.id, randomNumber: row.randomnumber };
  };
  const count = (url) => {
    const asked = Number.parseInt(new URLSearchParams(url.slice(url.indexOf("?"))).get("queries"), 10);
    return Math.min(Math.max(asked || 1, 1), 500);
  };
  const findMany = (url) => Promise.all(Array.from({ length: count(url) }, find));
  const send = (response, type, body) => {
    response.writeHead(200, { "content-type": type, "content-length": Buffer.byteLength(body) });
    response.end(body);
  };
  const json = (response, value) => send(response, "application/json", JSON.stringify(value));

  return listen(
    createServer(async (request, response) => {
      const path = request.url.split("?", 1)[0];
      if (path === "/db") json(response, await find());
      else if (path === "/queries") json(response, await findMany(request.url));
      else if (path === "/updates") {
        const worlds = await findMany(request.url);
        for (const row of worlds) row.randomNumber = random();
        // In the order of their ids, to prevent deadlocks between requests.
        const sorted = worlds.toSorted((a, b) => a.id - b.id);
        await query(
          "update",
          "update world set randomnumber = n from unnest($1::integer[], $2::integer[]) t (i, n) where id = i",
          [sorted.map(({ id }) => id), sorted.map(({ randomNumber }) => randomNumber)],
        );
        json(response, worlds);
      } else if (path === "/fortunes") {
        const fortunes = await query("fortunes", "select id, message from fortune", []);
        fortunes.push({ id: 0, message: "Additional fortune added at request time." });
        fortunes.sort((a, b) => (a.message < b.message ? -1 : 1));
        let list = "";
        for (const { id, message } of fortunes) list += `<tr><td>${id}</td><td>${escape(message)}</td></tr>`;
        send(
          response,
          "text/html; charset=utf-8",
          `<!doctype html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>${list}</table></body></html>`,
        );
      } else response.writeHead(404, { "content-length": 0 }).end();
    }),
  );
}
