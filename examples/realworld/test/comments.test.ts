import assert from "node:assert/strict";
import { test } from "node:test";
import { guest, newUser } from "./api.ts";

test("lists the comments of an article, the newest first", async () => {
  const [ada, bob] = [await newUser("ada"), await newUser("bob")];
  const [tea, sand] = [await ada.publish("Tea"), await ada.publish("Sand")];
  await ada.post(`/articles/${tea}/comments`, { comment: { body: "First" } });
  await bob.post(`/articles/${tea}/comments`, { comment: { body: " Second " } });
  await bob.post(`/articles/${sand}/comments`, { comment: { body: "Elsewhere" } });
  await ada.post("/profiles/bob/follow");
  const listComments = async (client: typeof ada): Promise<readonly unknown[]> =>
    (await client.get(`/articles/${tea}/comments`)).body.comments.map(({ body, author }) => [
      body,
      author.username,
      author.following,
    ]);
  assert.deepEqual(await listComments(ada), [
    ["Second", "bob", true],
    ["First", "ada", false],
  ]);
  assert.deepEqual(await listComments(guest), [
    ["Second", "bob", false],
    ["First", "ada", false],
  ]);
});

test("lists no comments for a new article", async () => {
  const slug = await (await newUser("ada")).publish("Quiet");
  assert.deepEqual((await guest.get(`/articles/${slug}/comments`)).body, { comments: [] });
});

test("only the author can delete a comment, at the path of its article", async () => {
  const [ada, bob] = [await newUser("ada"), await newUser("bob")];
  const [tea, sand] = [await ada.publish("Tea"), await ada.publish("Sand")];
  const { id } = (await bob.post(`/articles/${tea}/comments`, { comment: { body: "Mine" } })).body.comment;
  const forbidden = await ada.delete(`/articles/${tea}/comments/${id}`);
  assert.deepEqual(
    [forbidden.status, forbidden.body],
    [403, { errors: { body: ["This comment belongs to another user"] } }],
  );
  assert.equal((await bob.delete(`/articles/${sand}/comments/${id}`)).status, 404);
  for (const invalidId of [`${id}x`, `-${id}`, `${id}.0`, "0", "99999999999999999999"]) {
    assert.equal((await bob.delete(`/articles/${tea}/comments/${invalidId}`)).status, 404, invalidId);
  }
  assert.equal((await guest.get(`/articles/${tea}/comments`)).body.comments.length, 1);
  assert.equal((await bob.delete(`/articles/${tea}/comments/${id}`)).status, 204);
  assert.deepEqual((await guest.get(`/articles/${tea}/comments`)).body.comments, []);
  assert.equal((await bob.delete(`/articles/${tea}/comments/${id}`)).status, 404);
});
