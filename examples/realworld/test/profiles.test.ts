import assert from "node:assert/strict";
import { test } from "node:test";
import { guest, member } from "./conduit.ts";

test("a profile shows whether the one who asks follows it", async () => {
  const [ada, bob] = [await member("ada"), await member("bob")];
  await bob.put("/user", { user: { bio: "Builds", image: "/bob.png" } });
  const shown = { username: "bob", bio: "Builds", image: "/bob.png" };
  assert.deepEqual((await ada.post("/profiles/bob/follow")).body.profile, { ...shown, following: true });
  assert.deepEqual((await ada.get("/profiles/bob")).body.profile, { ...shown, following: true });
  assert.equal((await bob.get("/profiles/ada")).body.profile.following, false);
  assert.equal((await guest.get("/profiles/bob")).body.profile.following, false);
  assert.deepEqual((await ada.delete("/profiles/bob/follow")).body.profile, { ...shown, following: false });
  assert.equal((await ada.get("/profiles/bob")).body.profile.following, false);
});

test("following and its end may be asked for again", async () => {
  const ada = await member("ada");
  await member("bob");
  for (const isFollowing of [true, true, false, false]) {
    const { status, body } = await (isFollowing
      ? ada.post("/profiles/bob/follow")
      : ada.delete("/profiles/bob/follow"));
    assert.deepEqual([status, body.profile.following], [200, isFollowing]);
  }
});
