import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ok, type Result } from "../../core/index.ts";
import { html, type Html } from "../../html/index.ts";
import { Form, Schema } from "../../schema/index.ts";
import { type Ask, isolate } from "../application/fetch.test.ts";
import type { Refusal, ResourceService, ResourceView } from "./contract.ts";
import { resourceOfService } from "./resource.ts";
import { application, idOf, site, textOf, Visitor } from "./todo-fixture.test.ts";

isolate([["CHECK_CSRF", "true"]]);

const colours = ["red", "green", "blue"] as const;
const schema = Schema.record({
  title: Schema.string({ min: 1 }),
  tags: Schema.list(Schema.oneOf(colours)),
  address: Schema.record({ street: Schema.string({ min: 1 }), zip: Schema.optional(Schema.int()) }),
  lines: Schema.list(Schema.record({ title: Schema.string({ min: 1 }), count: Schema.int({ default: 1 }) })),
  logIn: Schema.optional(Schema.record({ name: Schema.string(), password: Schema.string({ sensitive: true }) })),
});

type Input = Schema.Infer<typeof schema>;
interface Order extends Input {
  readonly id: string;
}

const milk: Order = {
  id: idOf(1),
  title: "Milk",
  tags: ["red", "blue"],
  address: { street: "Lane", zip: 8000 },
  lines: [
    { title: "a", count: 1 },
    { title: "b", count: 2 },
  ],
  logIn: { name: "ada", password: "secret" },
};

/** Order, stored as JSON text like in a JSON column. */
class Orders implements Pick<ResourceService<Order, Input>, "find" | "insert" | "update"> {
  #kept = JSON.stringify(milk);

  get order(): Order {
    return JSON.parse(this.#kept) as Order;
  }

  readonly find = (id: string): Order | undefined => (id === this.order.id ? this.order : undefined);
  readonly insert = (value: Input): Result<Order, Refusal> => this.update(milk.id, value);
  readonly update = (id: string, value: Input): Result<Order, Refusal> => {
    if (value.address.street === "Nowhere") return { ok: false, error: { "address.street": "There is none" } };
    this.#kept = JSON.stringify({ ...value, id });
    return ok(this.order);
  };
}

const page = (token: string, form: Form): Html =>
  html` <input name="csrf" value="${token}" />
    ${colours.map((colour) => html`<input name="tags" value="${colour}" ?checked=${Form.isChecked(form, "tags", colour)} />`)}
    ${form.map(([name, input, error]) => html`<p>${name}=${input}:${error}</p>`)}`;

const view: Pick<ResourceView<Order>, "new" | "edit"> = {
  new: (_, token, form) => page(token, form),
  edit: (_, token, form) => page(token, form),
};

const path = `/orders/${milk.id}`;

function stand(): { readonly orders: Orders; readonly ask: Ask; readonly visitor: Visitor } {
  const orders = new Orders();
  const ask = application(
    resourceOfService({ name: "orders", schema, service: orders, view, only: ["new", "create", "edit", "update"] }),
    site,
  );
  return { orders, ask, visitor: new Visitor(ask) };
}

async function submit(visitor: Visitor, method: string, fields: string): Promise<globalThis.Response> {
  const token = await visitor.token(`${path}/edit`);
  const body = new URLSearchParams(`${fields}&_method=${method}`);
  body.set("csrf", token);
  return await visitor.send(path, { method: "POST", body });
}

describe("nested lists and records in forms", () => {
  test("are shown filled in", async () => {
    const { visitor } = stand();
    const text = await textOf(visitor.get(`${path}/edit`));
    assert.ok(text.includes('value="red" checked><input name="tags" value="green"><'), text);
    for (const shown of [
      "tags.1=blue:",
      "address.street=Lane:",
      "address.zip=8000:",
      "lines.1.title=b:",
      "logIn.name=ada:",
    ]) {
      assert.ok(text.includes(`<p>${shown}`), `${shown} in ${text}`);
    }
    assert.doesNotMatch(text, /secret/);
  });

  test("are replaced with PUT", async () => {
    const { orders, visitor } = stand();
    const fields = "title=Bread&tags=green&address.street=Road&lines.4.title=d&lines.4.count=4&lines.3.title=c";
    assert.equal((await submit(visitor, "put", fields)).status, 303);
    assert.deepEqual(orders.order, {
      id: milk.id,
      title: "Bread",
      tags: ["green"],
      address: { street: "Road" },
      lines: [
        { title: "c", count: 1 },
        { title: "d", count: 4 },
      ],
    });
  });

  test("keep unsent values with PATCH, and are replaced as a whole if a part is sent", async () => {
    const { orders, visitor } = stand();
    assert.equal((await submit(visitor, "patch", "tags=green&lines=")).status, 303);
    assert.deepEqual(orders.order, { ...milk, tags: ["green"], lines: [] });
    assert.equal((await submit(visitor, "patch", "address.street=Road")).status, 303);
    assert.deepEqual(orders.order.address, { street: "Road" });
  });

  test("show the submitted values instead of all stored ones", async () => {
    const { orders, visitor } = stand();
    const answer = await submit(visitor, "patch", "lines.5.count=x&tags=green&tags=pink");
    const text = await textOf(answer);
    assert.equal(answer.status, 422);
    assert.ok(text.includes("<p>lines.0.title=:Please fill this in</p>"), text);
    assert.ok(text.includes("<p>lines.0.count=x:Please enter a whole number</p>"), text);
    assert.ok(text.includes("<p>tags.1=pink:Please choose one of the options</p>"), text);
    assert.ok(text.includes("<p>address.street=Lane:</p>"), text);
    for (const gone of ["lines.1", "=blue:"]) assert.ok(!text.includes(gone), `${gone} in ${text}`);
    assert.deepEqual(orders.order, milk);
  });

  test("show refusals of the service by full field name", async () => {
    const { visitor } = stand();
    const text = await textOf(submit(visitor, "patch", "address.street=Nowhere"));
    assert.ok(text.includes("<p>address.street=Nowhere:There is none</p>"), text);
  });
});

describe("nested lists and records in JSON", () => {
  const send = async (ask: Ask, method: string, value: unknown): Promise<[number, Record<string, unknown>]> => {
    const headers = { accept: "application/json", "content-type": "application/json" };
    const response = await ask(path, { method, headers, body: JSON.stringify(value) });
    return [response.status, (await response.json()) as Record<string, unknown>];
  };
  const ask = (orders: Orders): Ask =>
    application(resourceOfService({ name: "orders", schema, service: orders, view, only: ["update"] }), []);

  test("are shown, except those with sensitive fields", async () => {
    const { logIn: _, ...open } = milk;
    assert.deepEqual(await send(ask(new Orders()), "PATCH", {}), [200, open]);
  });

  test("keep absent values with PATCH, and are replaced as a whole if present", async () => {
    const orders = new Orders();
    assert.equal((await send(ask(orders), "PATCH", { lines: [{ title: "z" }], logIn: null }))[0], 200);
    const { logIn: _, ...rest } = milk;
    assert.deepEqual(orders.order, { ...rest, lines: [{ title: "z", count: 1 }] });
    assert.deepEqual((await send(ask(orders), "PATCH", { address: { zip: 1 } }))[1]["errors"], {
      "address.street": "Please fill this in",
    });
  });

  test("have their messages in problem documents under full names", async () => {
    const [status, { errors }] = await send(ask(new Orders()), "PUT", {
      title: "a",
      tags: ["red", "pink"],
      address: { street: 1, zip: "x" },
      lines: [{ title: "a" }, { title: "" }, 3],
    });
    assert.equal(status, 422);
    assert.deepEqual(errors, {
      "tags.1": "Please choose one of red, green, blue",
      "address.street": "Please give a text",
      "address.zip": "Please enter a whole number",
      "lines.1.title": "Please fill this in",
      "lines.2.title": "Please send an object with this field",
      "lines.2.count": "Please send an object with this field",
    });
    const [, refused] = await send(ask(new Orders()), "PATCH", { address: { street: "Nowhere" } });
    assert.deepEqual(refused["errors"], { "address.street": "There is none" });
  });
});
