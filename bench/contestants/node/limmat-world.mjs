import { Cache, Schema, Time, Web } from "limmat";
import { Row, sql } from "limmat/database";
import { html } from "limmat/html";

const worldRow = Row.record({ id: Row.int, randomnumber: Row.int });
const fortuneRow = Row.record({ id: Row.int, message: Row.text });

const random = () => 1 + Math.floor(Math.random() * 10_000);

const countOf = (text) => Math.min(Math.max(Number.parseInt(text, 10) || 1, 1), 500);

const page = (fortunes) =>
  html`<!doctype html>
    <html>
      <head>
        <title>Fortunes</title>
      </head>
      <body>
        <table>
          <tr>
            <th>id</th>
            <th>message</th>
          </tr>
          ${fortunes.map(
            ({ id, message }) =>
              html`<tr>
                <td>${id}</td>
                <td>${message}</td>
              </tr>`,
          )}
        </table>
      </body>
    </html>`;

export function world(database) {
  const toWorld = (row) => ({ id: row.id, randomNumber: row.randomnumber });
  const worldById = (id) => sql.row(worldRow)`select id, randomnumber from world where id = ${id}`;
  const find = async () => toWorld(await database.find(worldById(random())));
  const findMany = ({ query }) => Promise.all(Array.from({ length: countOf(query.get("queries")) }, find));
  // A cache of the process, as TechEmpower's test asks for. Its values are JSON, checked when they are read.
  const cache = Cache.typed({
    cache: Cache.memory(),
    prefix: "world ",
    schema: Schema.record({ id: Schema.int(), randomNumber: Schema.int() }),
  });
  const cached = (id) =>
    cache.getOrSet(String(id), { expiresInMs: Time.hours(1) }, async () => toWorld(await database.find(worldById(id))));
  const api = [
    Web.get("/cached-queries", async ({ query }) =>
      Web.Response.json(await Promise.all(Array.from({ length: countOf(query.get("count")) }, () => cached(random())))),
    ),
    Web.get("/row/:id<int>", async ({ params }) => {
      const row = await database.findOpt(worldById(Number(params.id)));
      return row === undefined ? Web.Response.text("", { status: 404 }) : Web.Response.json(toWorld(row));
    }),
    Web.get("/db", async () => Web.Response.json(await find())),
    Web.get("/queries", async (request) => Web.Response.json(await findMany(request))),
    Web.get("/updates", async (request) => {
      const worlds = await findMany(request);
      for (const found of worlds) found.randomNumber = random();
      const sorted = worlds.toSorted((a, b) => a.id - b.id);
      await database.exec(sql`update world set randomnumber = n
        from json_to_recordset(${sql.json(sorted.map((found) => ({ i: found.id, n: found.randomNumber })))}) as t (i integer, n integer)
        where id = i`);
      return Web.Response.json(worlds);
    }),
  ];
  const pages = [
    Web.get("/fortunes", async () => {
      const stored = await database.collect(sql.row(fortuneRow)`select id, message from fortune`);
      const fortunes = [...stored, { id: 0, message: "Additional fortune added at request time." }];
      fortunes.sort((a, b) => (a.message < b.message ? -1 : 1));
      return Web.Response.html(page(fortunes));
    }),
  ];
  // The stacks of an application: that of an API for JSON, that of a site for the page.
  return {
    routes: [
      Web.choose(api, { middlewares: Web.Middleware.api() }),
      Web.choose(pages, { middlewares: Web.Middleware.site() }),
    ],
    services: [database],
  };
}
