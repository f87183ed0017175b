import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { App, Random, Schema, Web } from "limmat";
import { Row, sql } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { Policy } from "limmat/policy";
import { Table } from "limmat/table";
import { configuration, forbidUnaskedPolicies } from "./index.ts";

const database = sqlite({ url: ":memory:" });
const albums = Table.make("albums", {
  schema: Schema.record({ name: Schema.string() }),
  columns: { owner_id: Row.uuid },
});
const photos = Table.make("photos", {
  schema: Schema.record({ title: Schema.string() }),
  columns: { album_id: Row.uuid },
  relations: { album: () => Table.belongsTo(albums) },
  search: { filter: ["title"] },
});
const plain = Table.make("plain", { schema: Schema.record({ title: Schema.string() }) });
const albumPolicy = Policy.make(albums, () => ({ see: (user) => ({ owner_id: user.id }) }));
const photoPolicy = Policy.make(photos, (is) => ({ see: is.related.album(albumPolicy.rules.see) }));

const ada = { id: Random.uuid() };
let album = "";
let photo = "";

/** Work of each route, and whether its request is reported. */
const works: Readonly<Record<string, readonly [isReported: boolean, run: () => Promise<unknown>]>> = {
  "search-unasked": [true, () => photos.search(database)],
  "collect-unasked": [true, () => photos.collect(database, { where: { album_id: album } })],
  "search-of-other-policy": [
    true,
    () => photos.search(database, {}, { where: { album_id: album } }).then(() => albumPolicy.where(ada)),
  ],
  "update-unasked": [true, () => photos.update(database, { id: photo }, { title: "x" })],
  "delete-unasked": [true, () => database.exec(sql`delete from photos where title = 'none'`)],
  "insert-below-a-parent-unasked": [true, () => photos.insert(database, { title: "x", album_id: album })],
  "insert-without-parent": [false, () => albums.insert(database, { name: "x", owner_id: ada.id })],
  search: [false, () => photos.search(database, {}, { where: photoPolicy.where(ada) })],
  "search-with-relation": [
    false,
    () => photos.collect(database, { where: photoPolicy.where(ada), with: ["album"], orderBy: "title" }),
  ],
  find: [false, () => photos.findOpt(database, photo)],
  update: [
    false,
    async () => {
      await photoPolicy.require(database, ada, "see", photo);
      await photos.update(database, { id: photo }, { title: "x" });
    },
  ],
  insert: [
    false,
    async () => {
      await albumPolicy.require(database, ada, "see", album);
      await photos.insert(database, { title: "x", album_id: album });
    },
  ],
  system: [false, () => photos.search(database, {}, { where: photoPolicy.where(Policy.system("public list")) })],
  unchecked: [false, () => Policy.unchecked("nightly count", () => photos.search(database))],
  "no-policy": [false, () => plain.search(database)],
};

const router = Web.choose(
  Object.entries(works).map(([name, [, run]]) =>
    Web.get(`/${name}`, async () => {
      await run();
      return Web.Response.text("ok");
    }),
  ),
);
const app = App.create({ services: [database, Web.Http.service({ router })] });

using _ = configuration({ FRAMEWORK_ENV: "test" });
before(async () => {
  await app.start({ server: false });
  for (const text of Table.createStatements([albums, photos, plain], database.dialect())) {
    await database.exec(sql(Object.assign([text], { raw: [text] })));
  }
  album = (await albums.insert(database, { name: "Rail", owner_id: ada.id })).id;
  photo = (await photos.insert(database, { title: "Bridge", album_id: album })).id;
});
after(() => app.stop());

for (const [name, [isReported]] of Object.entries(works)) {
  test(`${name}: ${isReported ? "is reported with route, statement and location" : "is fine"}`, async () => {
    const scope = forbidUnaskedPolicies();
    assert.equal((await app.request(`/${name}`)).status, 200);
    const end = (): void => scope[Symbol.dispose]();
    if (!isReported) end();
    else assert.throws(end, new RegExp(`GET /${name}: \\w+ .*photos[^]*at .*policies\\.test\\.ts:\\d+`));
  });
}

test("code outside of requests, and after the scope, is not traced", async () => {
  const scope = forbidUnaskedPolicies();
  await photos.search(database);
  scope[Symbol.dispose]();
  assert.equal((await app.request("/search-unasked")).status, 200);
});

test("requests at the same time are told apart", async () => {
  const scope = forbidUnaskedPolicies();
  await Promise.all([app.request("/search"), app.request("/search-unasked"), app.request("/system")]);
  assert.throws(
    () => scope[Symbol.dispose](),
    (error) => error instanceof assert.AssertionError && error.message.match(/GET \//g)?.length === 1,
  );
});
