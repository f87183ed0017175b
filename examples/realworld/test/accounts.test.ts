import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Time } from "limmat";
import { fakeClock } from "limmat/testing";
import { ask, guest, member, password, Person } from "./conduit.ts";

const registration = { username: "ada", email: "ada@example.com", password };

test("who registers is logged in, and logs in with the same credentials", async () => {
  const { body } = await guest.post("/users", { user: registration });
  assert.deepEqual(
    { ...body.user, token: "" },
    { username: "ada", email: "ada@example.com", bio: "", image: "", token: "" },
  );
  assert.equal((await new Person(body.user.token).get("/user")).body.user.username, "ada");
  const entered = await guest.post("/users/login", { user: { email: "ADA@example.com", password } });
  assert.equal((await new Person(entered.body.user.token).get("/user")).body.user.email, "ada@example.com");
});

describe("registration", () => {
  const refused = async (changes: Readonly<Record<string, unknown>>): Promise<readonly string[]> => {
    const { status, body } = await guest.post("/users", { user: { ...registration, ...changes } });
    assert.equal(status, 422);
    return body.errors.body;
  };

  test("refuses a name and an address that are taken, and leaves nothing behind", async () => {
    await member("ada");
    assert.deepEqual(await refused({ email: "other@example.com" }), ["username: Somebody else has this name"]);
    assert.deepEqual(await refused({ username: "other" }), ["email: There is an account with this address already."]);
    const other = await guest.post("/users", { user: { ...registration, username: "o", email: "other@example.com" } });
    assert.equal(other.status, 201);
  });

  test("of two who want one name at once, gives it to one", async () => {
    const answers = await Promise.all(
      ["a", "b", "c"].map((name) => guest.post("/users", { user: { ...registration, email: `${name}@example.com` } })),
    );
    assert.deepEqual(answers.map(({ status }) => String(status)).sort(), ["201", "422", "422"]);
  });

  test("says what is wrong with each field", async () => {
    const problems = await refused({ username: "a/b", email: undefined, password: 1 });
    assert.deepEqual(
      problems.map((problem) => problem.split(":")[0]),
      ["username", "email", "password"],
    );
    assert.equal((await refused({ email: "nowhere" }))[0]?.split(":")[0], "email");
    assert.equal((await refused({ password: "short" }))[0]?.split(":")[0], "password");
    for (const username of ["", " ", ".", "..", "a b", "a?b", "é".normalize("NFD"), "x".repeat(61)]) {
      assert.equal((await refused({ username }))[0]?.split(":")[0], "username", username);
    }
  });
});

test("an account changes what is sent and keeps the rest", async () => {
  const ada = await member("ada");
  await ada.put("/user", { user: { bio: "Counts", image: "https://example.com/ada.png" } });
  const { body } = await ada.put("/user", { user: { username: "Zoë", email: "zoe@example.com", bio: "" } });
  const { token, ...shown } = body.user;
  assert.deepEqual(shown, {
    username: "Zoë",
    email: "zoe@example.com",
    bio: "",
    image: "https://example.com/ada.png",
  });
  assert.equal(`Token ${token}`, ada.authorization);
  assert.deepEqual((await ada.get("/user")).body, body);
  assert.equal((await guest.get("/profiles/Zo%C3%AB")).body.profile.username, "Zoë");
  assert.equal((await guest.get("/profiles/ada")).status, 404);
});

test("a change that is refused in part changes nothing", async () => {
  const ada = await member("ada");
  await member("bob");
  const before = (await ada.get("/user")).body;
  for (const user of [
    { bio: "New", username: "bob" },
    { bio: "New", email: "bob@example.com" },
    { email: "new@example.com", username: "bob", password: "a meadow of owls" },
    { bio: "New", password: "short" },
  ]) {
    assert.equal((await ada.put("/user", { user })).status, 422);
    assert.deepEqual((await ada.get("/user")).body, before);
  }
});

test("another password ends all tokens but the one in its answer", async () => {
  const ada = await member("ada");
  const { status, body } = await ada.put("/user", { user: { password: "a meadow of owls" } });
  assert.equal(status, 200);
  assert.equal((await ada.get("/user")).status, 401);
  assert.equal((await new Person(body.user.token).get("/user")).status, 200);
  const logIn = async (typed: string): Promise<number> =>
    (await guest.post("/users/login", { user: { email: "ada@example.com", password: typed } })).status;
  assert.deepEqual([await logIn(password), await logIn("a meadow of owls")], [401, 200]);
});

test("a token is good for thirty days", async () => {
  using clock = fakeClock();
  const ada = await member("ada");
  await clock.advance(Time.days(29));
  assert.equal((await ada.get("/user")).status, 200);
  await clock.advance(Time.days(2));
  assert.equal((await ada.get("/user")).status, 401);
});

test("who tries passwords too often has to wait", async () => {
  const answers = await Promise.all(
    Array.from({ length: 70 }, () => guest.post("/users/login", { user: { email: "x", password: "y" } })),
  );
  const late = answers.find(({ status }) => status === 429);
  assert.ok(Number(late?.headers.get("retry-after")) > 0);
  assert.equal(late?.body.errors.body.length, 1);
});

test("pages of other origins may use the interface", async () => {
  const asking = { origin: "https://conduit.example", "access-control-request-method": "PUT" };
  const preflight = await ask("OPTIONS", "/user", undefined, undefined, asking);
  assert.equal(preflight.status, 204);
  assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /PUT/);
  assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /authorization/);
  const answer = await guest.get("/user");
  assert.deepEqual([answer.status, answer.headers.get("access-control-allow-origin")], [401, "*"]);
});
