// Two machines behind a load balancer, which share a PostgreSQL.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Row, sql } from "limmat/database";
import { waitFor } from "limmat/testing";
import { testMachines, Visitor } from "./two-machines.ts";

await testMachines(({ database, balancer, end, start }) => {
  test("session, flash message, CSRF token and login are of all machines", async () => {
    const visitor = new Visitor(balancer().url);
    const first = await visitor.state();
    // The balancer takes the machines in turn.
    const saved = await visitor.post("/draft", { value: "Milk" });
    assert.equal(saved.status, 303, await saved.text());
    const second = await visitor.state();
    const other = first.machine === "machine 1" ? "machine 2" : "machine 1";
    assert.deepEqual([second.machine, second.notice, second.draft], [first.machine, `Saved by ${other}`, "Milk"]);
    assert.equal(second.client, "127.0.0.1");

    await visitor.post("/register");
    await visitor.post("/login");
    const names = await Promise.all([visitor.get("/me"), visitor.get("/me")]);
    assert.deepEqual(await Promise.all(names.map((name) => name.text())), ["ada@example.com", "ada@example.com"]);
  });

  test("a request limit counts the requests to all machines", async () => {
    const visitor = new Visitor(balancer().url);
    const responses = await Promise.all(Array.from({ length: 25 }, () => visitor.get("/limited")));
    const allowed = responses.filter(({ status }) => status === 200);
    assert.deepEqual([allowed.length, responses.filter(({ status }) => status === 429).length], [10, 15]);
    const answered = await Promise.all(allowed.map((response) => response.text()));
    assert.equal(new Set(answered).size, 2);
  });

  test("each job runs once, whichever machine dispatched it", async (t) => {
    const visitor = new Visitor(balancer().url);
    await visitor.state();
    await Promise.all(Array.from({ length: 40 }, () => visitor.post("/visits")));
    const count = (): Promise<number> => database.find(sql.value(Row.int)`select count(*) from visits`);
    const states = sql.value(Row.int)`select count(*) from queue_jobs where finished_at is null`;
    await waitFor(async () => (await database.find(states)) === 0, t);
    assert.equal(await count(), 40);
  });

  test("the other machine answers while one is stopped, killed and started again", async () => {
    const visitor = new Visitor(balancer().url);
    for (const [index, signal] of [
      [0, "SIGTERM"],
      [1, "SIGKILL"],
    ] as const) {
      const names = ["machine 1", "machine 2"];
      await end(index, signal);
      for (let request = 0; request < 3; request++) assert.equal((await visitor.state()).machine, names[1 - index]);
      await start(index);
      const answered = [await visitor.state(), await visitor.state()];
      assert.deepEqual(answered.map(({ machine }) => machine).toSorted(), names);
    }
  });
});
