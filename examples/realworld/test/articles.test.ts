import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Time } from "limmat";
import { fakeClock } from "limmat/testing";
import { guest, newUser, type ApiClient, slugsAndTotal } from "./api.ts";

test("publishes an article with all fields", async () => {
  const ada = await newUser("ada");
  const input = { title: " Über Tee ", description: "Hot", body: "  Boil.\n", tagList: ["tea", " water ", "tea"] };
  const { body } = await ada.post("/articles", { article: input });
  const { createdAt, updatedAt, ...article } = body.article;
  assert.deepEqual(article, {
    slug: "uber-tee",
    title: "Über Tee",
    description: "Hot",
    body: "  Boil.\n",
    tagList: ["tea", "water"],
    favorited: false,
    favoritesCount: 0,
    author: { username: "ada", bio: "", image: "", following: false },
  });
  assert.equal(createdAt, updatedAt);
  assert.deepEqual((await guest.get("/articles/uber-tee")).body, body);
});

test("accepts at most twenty tags of at most fifty characters", async () => {
  const ada = await newUser("ada");
  const article = { title: "Title", description: "Short", body: "Long" };
  const invalidLists = ["tea", [1], [""], [" "], ["x".repeat(51)], [null], Array.from({ length: 21 }, String), {}];
  for (const tagList of invalidLists) {
    const { status, body } = await ada.post("/articles", { article: { ...article, tagList } });
    assert.deepEqual([status, body.errors.body.length], [422, 1], JSON.stringify(tagList));
  }
  assert.equal((await ada.post("/articles", { article: { ...article, tagList: [] } })).status, 201);
  assert.deepEqual((await guest.get("/tags")).body.tags, []);
});

describe("a slug", () => {
  test("consists of the letters and digits of the title and is unique", async () => {
    const ada = await newUser("ada");
    assert.equal(await ada.publish("How to: train_your 2 dragons?!"), "how-to-train-your-2-dragons");
    assert.equal(await ada.publish("日本語 タイトル"), "日本語-タイトル");
    assert.equal(await ada.publish("???"), "article");
    assert.match(await ada.publish("!!!"), /^article-[0-9a-f]{8}$/);
    const many = await Promise.all(["One", "One", "One"].map((title) => ada.publish(title)));
    assert.equal(new Set(many).size, 3);
    for (const slug of many) assert.equal((await guest.get(`/articles/${slug}`)).body.article.title, "One");
  });

  test("is never `feed`, the path of the feed", async () => {
    const ada = await newUser("ada");
    const slug = await ada.publish("Feed");
    assert.match(slug, /^feed-/);
    assert.equal((await ada.get(`/articles/${slug}`)).body.article.title, "Feed");
  });

  test("changes with the title only", async () => {
    const ada = await newUser("ada");
    const change = async (slug: string, article: object): Promise<string> =>
      (await ada.put(`/articles/${slug}`, { article })).body.article.slug;
    await ada.publish("Taken");
    assert.equal(await change(await ada.publish("First"), { title: "Second", body: "B" }), "second");
    assert.equal((await guest.get("/articles/first")).status, 404);
    assert.equal(await change("second", { title: "SECOND!" }), "second");
    assert.equal(await change("second", { description: "D" }), "second");
    const { body } = await guest.get("/articles/second");
    assert.deepEqual([body.article.title, body.article.description, body.article.body], ["SECOND!", "D", "B"]);
    assert.match(await change("second", { title: "Taken" }), /^taken-[0-9a-f]{8}$/);
  });
});

test("only the author can change or delete an article", async () => {
  const [ada, bob] = [await newUser("ada"), await newUser("bob")];
  const slug = await ada.publish("Mine", ["own"]);
  const before = (await guest.get(`/articles/${slug}`)).body;
  const change = { article: { title: "Bob's", body: "Ha" } };
  for (const { status, body } of [await bob.put(`/articles/${slug}`, change), await bob.delete(`/articles/${slug}`)]) {
    assert.deepEqual([status, body], [403, { errors: { body: ["This article belongs to another user"] } }]);
  }
  assert.deepEqual((await guest.get(`/articles/${slug}`)).body, before);
  await bob.post(`/articles/${slug}/comments`, { comment: { body: "Pity" } });
  await bob.post(`/articles/${slug}/favorite`);
  assert.equal((await ada.delete(`/articles/${slug}`)).status, 204);
  assert.equal((await guest.get(`/articles/${slug}`)).status, 404);
  assert.deepEqual((await guest.get("/tags")).body.tags, []);
});

test("an empty update changes nothing, and blank texts are refused", async () => {
  const ada = await newUser("ada");
  const slug = await ada.publish("Title");
  const { body } = await ada.put(`/articles/${slug}`, { article: {} });
  assert.equal(body.article.body, "All of Title");
  for (const article of [
    { title: " " },
    { description: "" },
    { body: "" },
    { title: null },
    { title: "x".repeat(201) },
  ]) {
    assert.equal((await ada.put(`/articles/${slug}`, { article })).status, 422, JSON.stringify(article));
  }
});

test("an article has the number of favourites and the mark of the current user", async () => {
  const [ada, bob] = [await newUser("ada"), await newUser("bob")];
  const slug = await ada.publish("Liked");
  const favoriteState = async (client: ApiClient): Promise<readonly unknown[]> => {
    const { article } = (await client.get(`/articles/${slug}`)).body;
    const [listed] = (await client.get("/articles")).body.articles;
    assert.deepEqual([listed?.favorited, listed?.favoritesCount], [article.favorited, article.favoritesCount]);
    return [article.favorited, article.favoritesCount];
  };
  await ada.post(`/articles/${slug}/favorite`);
  for (const _ of [1, 2]) {
    const { article } = (await bob.post(`/articles/${slug}/favorite`)).body;
    assert.deepEqual([article.favorited, article.favoritesCount], [true, 2]);
  }
  for (const _ of [1, 2]) {
    const { article } = (await ada.delete(`/articles/${slug}/favorite`)).body;
    assert.deepEqual([article.favorited, article.favoritesCount], [false, 1]);
  }
  assert.deepEqual(await favoriteState(guest), [false, 1]);
  assert.deepEqual(await favoriteState(bob), [true, 1]);
});

test("lists the most used tags first", async () => {
  const ada = await newUser("ada");
  await ada.publish("One", ["z", "a"]);
  await ada.publish("Two", ["z", "b"]);
  assert.deepEqual((await guest.get("/tags")).body.tags, ["z", "a", "b"]);
});

describe("a list", () => {
  test("is sorted by date, the newest first, and has pages", async () => {
    using clock = fakeClock();
    const ada = await newUser("ada");
    for (let number = 1; number <= 25; number++) {
      await clock.advance(1);
      await ada.publish(`Number ${number}`);
    }
    const slugsOf = (...numbers: readonly number[]): readonly string[] => numbers.map((number) => `number-${number}`);
    const [first] = await slugsAndTotal(guest.get("/articles"));
    assert.equal((first as readonly string[]).length, 20);
    assert.deepEqual(await slugsAndTotal(guest.get("/articles?limit=3")), [slugsOf(25, 24, 23), 25]);
    assert.deepEqual(await slugsAndTotal(guest.get("/articles?limit=3&offset=23")), [slugsOf(2, 1), 25]);
    assert.deepEqual(await slugsAndTotal(guest.get("/articles?offset=25")), [[], 25]);
    assert.deepEqual(await slugsAndTotal(guest.get("/articles?tag=&limit=&offset=24")), [slugsOf(1), 25]);
    assert.equal((await guest.get("/articles?limit=9007199254740991")).status, 200);
  });

  test("can be filtered by tag, author and favourite, separately or combined", async () => {
    const [ada, bob] = [await newUser("ada"), await newUser("bob")];
    await ada.publish("Tea", ["hot", "Wet"]);
    await ada.publish("Sand", ["hot"]);
    await bob.publish("Rain", ["Wet"]);
    await bob.post("/articles/tea/favorite");
    await bob.post("/articles/rain/favorite");
    const search = async (query: string): Promise<readonly unknown[]> => {
      const [list, total] = await slugsAndTotal(guest.get(`/articles?${query}`));
      return [...(list as readonly string[]).toSorted(), total];
    };
    assert.deepEqual(await search("tag=hot"), ["sand", "tea", 2]);
    assert.deepEqual(await search("tag=wet"), [0]);
    assert.deepEqual(await search("author=bob"), ["rain", 1]);
    assert.deepEqual(await search("favorited=bob"), ["rain", "tea", 2]);
    assert.deepEqual(await search("favorited=ada"), [0]);
    assert.deepEqual(await search("tag=hot&author=ada&favorited=bob"), ["tea", 1]);
    for (const query of ["author=nobody", "favorited=nobody", "tag=none", "tag=%25", "author='%20or%201=1--"]) {
      assert.deepEqual(await search(query), [0]);
    }
  });
});

test("a feed contains articles by followed authors, the newest first", async () => {
  using clock = fakeClock();
  const [ada, bob, eve] = [await newUser("ada"), await newUser("bob"), await newUser("eve")];
  for (const [client, title] of [
    [bob, "One"],
    [eve, "Two"],
    [ada, "Three"],
    [bob, "Four"],
  ] as const) {
    await clock.advance(Time.seconds(1));
    await client.publish(title);
  }
  assert.deepEqual(await slugsAndTotal(ada.get("/articles/feed")), [[], 0]);
  await ada.post("/profiles/bob/follow");
  assert.deepEqual(await slugsAndTotal(ada.get("/articles/feed")), [["four", "one"], 2]);
  await ada.post("/profiles/eve/follow");
  assert.deepEqual(await slugsAndTotal(ada.get("/articles/feed")), [["four", "two", "one"], 3]);
  assert.deepEqual(await slugsAndTotal(ada.get("/articles/feed?limit=1&offset=1")), [["two"], 3]);
  const { articles } = (await ada.get("/articles/feed")).body;
  assert.ok(articles.every(({ author }) => author.following));
  await ada.delete("/profiles/bob/follow");
  assert.deepEqual(await slugsAndTotal(ada.get("/articles/feed")), [["two"], 1]);
  assert.deepEqual(await slugsAndTotal(bob.get("/articles/feed")), [[], 0]);
});
