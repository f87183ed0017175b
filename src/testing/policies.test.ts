import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { App, Queue, Random, Schema, Web } from "limmat";
import { Row, sql } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { Policy } from "limmat/policy";
import { Table } from "limmat/table";
import { configuration, forbidUnaskedPolicies, rolledBack } from "./index.ts";

const database = sqlite({ url: ":memory:" });
const albums = Table.make("albums", {
  schema: Schema.record({ name: Schema.string() }),
  columns: { owner_id: Row.uuid },
  relations: {
    photos: () => Table.hasMany(photos),
    tags: () => Table.manyToMany(photoTags, { through: "album_tags" }),
    featured: () => Table.manyToMany(photos, { through: "featured_photos" }),
    diaries: () => Table.hasMany(diaries),
  },
  unique: [["name"]],
});
/** Entries about an album that only their author sees. */
const diaries = Table.make("diaries", {
  schema: Schema.record({ text: Schema.string() }),
  columns: { album_id: Row.uuid, author_id: Row.uuid },
  relations: { album: () => Table.belongsTo(albums) },
});
const photoTags = Table.make("photo_tags", { schema: Schema.record({ name: Schema.string() }) });
const photos = Table.make("photos", {
  schema: Schema.record({ title: Schema.string() }),
  columns: { album_id: Row.uuid },
  relations: { album: () => Table.belongsTo(albums) },
  search: { filter: ["title"] },
  unique: [["title"]],
});
const plain = Table.make("plain", { schema: Schema.record({ title: Schema.string() }) });
const albumPolicy = Policy.make(albums, () => ({ see: (user) => ({ owner_id: user.id }) }));
const diaryPolicy = Policy.make(diaries, () => ({
  see: (user) => ({ author_id: user.id }),
  change: () => true,
}));
const photoPolicy = Policy.make(photos, (is) => ({ see: is.related.album(albumPolicy.rules.see) }));

const queue = Queue.memory();
const renamePhoto = Queue.job({
  name: "photos.rename",
  input: Schema.record({ id: Schema.uuid() }),
  handle: async ({ id }) => void (await photos.update(database, { id }, { title: "renamed" })),
});
const listPhotos = Queue.job({
  name: "photos.list",
  input: Schema.record({}),
  handle: async () => void (await photos.collect(database)),
});
queue.register(listPhotos, renamePhoto);

const ada = { id: Random.uuid() };
let album = "";
let otherAlbum = "";
let photo = "";
let otherPhoto = "";
const askAlbum = (): Promise<void> => albumPolicy.require(database, ada, "see", album);
const askPhoto = (): Promise<void> => photoPolicy.require(database, ada, "see", photo);

/** Returns a statement of a text. */
const statement = (text: string) => sql(Object.assign([text], { raw: [text] }));

/** Statements that are reported, as an application may write them. */
const reportedTexts: Readonly<Record<string, string>> = {
  "upper-case": "UPDATE PHOTOS SET title = title",
  "qualified-name": `update "main"."photos" set title = title`,
  "several-lines": "\n  update photos\n  set title = title",
  comment: "/* monthly */ delete from photos where title = 'none'",
  "with-query-of-change":
    "with names as (select 'none' as name) delete from photos where title in (select name from names)",
  "insert-or-ignore": "insert or ignore into photos (id, title, album_id) select id, title, album_id from photos",
  replace: "replace into photos (id, title, album_id) select id, title, album_id from photos where title = 'none'",
  join: "select photo_tags.name from photo_tags left join photos on photos.title = photo_tags.name order by photos.title",
  "with-query": "with named as (select title from photos) select title from named order by title",
  "derived-table": "select title from (select title from photos where (title > '(')) as named order by title",
  "upper-case-search": "SELECT title FROM main.photos ORDER BY title",
  "row-of-a-statement": "select title from photos where title = 'Bridge'",
};

/** Statements that are no change and no list of photos. */
const fineTexts: Readonly<Record<string, string>> = {
  subquery: "select name from photo_tags where name in (select title from photos order by title) order by name",
  "counted-in-a-list":
    "select name, (select count(*) from photos where title = name) as n from photo_tags order by name",
  "number-of-rows": "select count(*) from photos",
  "text-of-a-change":
    "insert into photo_tags (id, name) values ('0b8f2d1e-6c0c-4b7e-9d3f-2a1b3c4d5e6f', 'update photos')",
};

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
  "insert-below-a-parent-unasked": [true, () => photos.insert(database, { title: Random.uuid(), album_id: album })],
  "found-unasked": [true, () => photos.find(database, photo)],
  "found-beside-another": [true, () => askPhoto().then(() => photos.find(database, otherPhoto))],
  "found-by-columns-unasked": [true, () => diaries.findOpt(database, { author_id: ada.id })],
  "list-beside-an-asked-list": [
    true,
    async () => {
      await photos.search(database, {}, { where: [{ title: "none" }, photoPolicy.where(ada)] });
      await photos.search(database);
    },
  ],
  "buttons-of-an-unasked-list": [
    true,
    async () => {
      const found = await diaries.collect(database);
      await diaryPolicy.can(database, ada, found, ["change"]);
    },
  ],
  "list-with-the-condition-of-another-table": [
    true,
    () => diaries.collect(database, { where: { author_id: ada.id } }).then(() => albumPolicy.where(ada)),
  ],
  "relation-unasked": [true, () => albums.collect(database, { where: albumPolicy.where(ada), with: ["diaries"] })],
  "relation-of-a-relation-unasked": [
    true,
    () => photos.collect(database, { where: photoPolicy.where(ada), with: [{ album: ["diaries"] }] }),
  ],
  "links-unasked": [true, () => albums.links.tags.set(database, { id: album }, [])],
  "links-to-another": [
    true,
    () => askAlbum().then(() => albums.links.featured.add(database, { id: album }, [otherPhoto])),
  ],
  "insert-below-another": [
    true,
    () => askAlbum().then(() => photos.insert(database, { title: Random.uuid(), album_id: otherAlbum })),
  ],
  "update-of-another": [
    true,
    () => askPhoto().then(() => photos.update(database, { id: otherPhoto }, { title: Random.uuid() })),
  ],
  "change-of-a-row-that-was-found": [
    true,
    async () => {
      const found = await diaries.find(database, [{ text: "Rain" }, diaryPolicy.where(ada)]);
      await diaries.update(database, found, { text: "Sun" });
    },
  ],
  "update-below-an-asked-parent": [
    true,
    async () => {
      await askAlbum();
      const found = await photos.find(database, photo);
      await photos.update(database, found, { title: Random.uuid() });
    },
  ],
  "update-of-the-parent-of-a-seen-row": [
    true,
    async () => {
      const { album_id } = await diaries.find(database, [{ text: "Rain" }, diaryPolicy.where(ada)]);
      await albums.update(database, { id: album_id }, { name: Random.uuid() });
    },
  ],
  "move-to-another": [
    true,
    () => askPhoto().then(() => photos.update(database, { id: photo }, { album_id: otherAlbum })),
  ],
  "job-unasked": [
    true,
    async () => {
      await queue.dispatch(renamePhoto, { id: photo });
      assert.equal((await queue.runDue()).length, 1);
    },
  ],
  "insert-without-parent": [false, () => albums.insert(database, { name: "x", owner_id: ada.id })],
  "upsert-unasked": [true, () => photos.upsert(database, { title: "y", album_id: album }, { on: ["title"] })],
  // Without a parent, only new rows need no question.
  "upsert-without-parent": [true, () => albums.upsert(database, { name: "x", owner_id: ada.id }, { on: ["name"] })],
  "insert-all-unasked": [true, () => photos.insertAll(database, [{ title: "z", album_id: album }])],
  "stream-unasked": [
    true,
    async () => {
      const all = sql.row(photos.row)`select ${sql.columns(photos.row)} from photos order by title`;
      for await (const row of database.stream(all)) assert.ok(row);
    },
  ],
  ...Object.fromEntries(
    Object.entries(reportedTexts).map(([name, text]) => [name, [true, () => database.exec(statement(text))] as const]),
  ),
  ...Object.fromEntries(
    Object.entries(fineTexts).map(([name, text]) => [name, [false, () => database.exec(statement(text))] as const]),
  ),
  search: [false, () => photos.search(database, {}, { where: photoPolicy.where(ada) })],
  "loaded-relations": [
    false,
    () => albums.collect(database, { where: albumPolicy.where(ada), with: ["photos", "tags"], counts: ["photos"] }),
  ],
  links: [
    false,
    async () => {
      await albumPolicy.require(database, ada, "see", album);
      await albums.links.tags.set(database, { id: album }, []);
    },
  ],
  "found-rows": [
    false,
    async () => {
      await photos.exists(database, { title: "Bridge" });
      await photos.count(database, { title: "Bridge" });
    },
  ],
  "search-with-relation": [
    false,
    () => photos.collect(database, { where: photoPolicy.where(ada), with: ["album"], orderBy: "title" }),
  ],
  find: [false, () => photos.findOpt(database, [{ id: photo }, photoPolicy.where(ada)])],
  "find-nothing": [false, () => photos.findOpt(database, Random.uuid())],
  "find-and-ask": [false, async () => photoPolicy.require(database, ada, "see", await photos.find(database, photo))],
  "find-a-parent": [
    false,
    async () => {
      const { album_id } = await photos.find(database, [{ id: photo }, photoPolicy.where(ada)]);
      await albums.find(database, album_id);
    },
  ],
  "list-and-ask": [
    false,
    async () => void (await diaryPolicy.can(database, ada, await diaries.collect(database), ["see"])),
  ],
  "list-below-an-asked-parent": [
    false,
    () => askAlbum().then(() => photos.collect(database, { where: { album_id: album } })),
  ],
  "condition-within-sql": [
    false,
    async () => {
      const where = sql`title <> '' and ${photoPolicy.where(ada)}`;
      const [first] = await photos.collect(database, { where });
      await photos.update(database, first!, { title: first!.title });
    },
  ],
  "change-of-a-row-that-was-found-for-it": [
    false,
    async () => {
      const found = await diaries.find(database, [{ text: "Rain" }, diaryPolicy.where(ada, "change")]);
      await diaries.update(database, found, { text: "Sun" });
    },
  ],
  "change-of-a-row-found-by-the-system": [
    false,
    async () => {
      const [found] = await diaries.collect(database, { where: diaryPolicy.where(Policy.system("weather")) });
      await diaries.update(database, found!, { text: "Sun" });
    },
  ],
  "update-of-the-parent-of-an-asked-row": [
    false,
    async () => {
      const { album_id } = await photos.find(database, [{ id: photo }, photoPolicy.where(ada)]);
      await albums.update(database, { id: album_id }, { name: Random.uuid() });
    },
  ],
  "insert-and-update": [
    false,
    async () => {
      const inserted = await albums.insert(database, { name: Random.uuid(), owner_id: ada.id });
      await albums.update(database, inserted, { name: Random.uuid() });
      await albums.delete(database, inserted);
    },
  ],
  "links-of-asked-rows": [
    false,
    async () => {
      await askAlbum();
      await askPhoto();
      await albums.links.featured.set(database, { id: album }, [photo]);
    },
  ],
  "job-of-an-asked-row": [
    false,
    async () => {
      await askPhoto();
      await queue.dispatch(renamePhoto, { id: photo });
      assert.equal((await queue.runDue()).length, 1);
    },
  ],
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
      await photos.insert(database, { title: Random.uuid(), album_id: album });
    },
  ],
  system: [false, () => photos.search(database, {}, { where: photoPolicy.where(Policy.system("public list")) })],
  unchecked: [false, () => Policy.unchecked("nightly count", () => photos.search(database))],
  // A job has the log fields of the request that dispatches it.
  job: [
    false,
    async () => {
      await queue.dispatch(listPhotos, {});
      assert.equal((await queue.runDue()).length, 1);
    },
  ],
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
const app = App.create({ services: [database, queue, Web.Http.service({ router })] });

using _ = configuration({ FRAMEWORK_ENV: "test" });
before(async () => {
  await app.start({ server: false });
  for (const text of Table.createStatements([albums, photos, photoTags, plain, diaries], database.dialect())) {
    await database.exec(sql(Object.assign([text], { raw: [text] })));
  }
  album = (await albums.insert(database, { name: "Rail", owner_id: ada.id })).id;
  otherAlbum = (await albums.insert(database, { name: "Ships", owner_id: Random.uuid() })).id;
  photo = (await photos.insert(database, { title: "Bridge", album_id: album })).id;
  otherPhoto = (await photos.insert(database, { title: "Harbour", album_id: otherAlbum })).id;
  await diaries.insert(database, { text: "Rain", album_id: album, author_id: ada.id });
});
after(() => app.stop());

for (const [name, [isReported]] of Object.entries(works)) {
  test(`${name}: ${isReported ? "is reported with route, statement and location" : "is fine"}`, async () => {
    const scope = forbidUnaskedPolicies();
    await rolledBack(database, async () => {
      assert.equal((await app.request(`/${name}`)).status, 200);
    });
    const end = (): void => scope[Symbol.dispose]();
    if (!isReported) end();
    else
      assert.throws(
        end,
        new RegExp(`GET /${name}: .*(?:photos|albums|diaries)[^]*at .*policies\\.test\\.ts:\\d+`, "i"),
      );
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
