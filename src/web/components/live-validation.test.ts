import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Schema } from "../../schema/index.ts";
import { application } from "../rest/todo-fixture.test.ts";
import { type FormFields, validationRoute } from "./index.ts";

const schema = Schema.record(
  {
    email: Schema.string({ min: 3 }),
    password: Schema.text({ min: 8, sensitive: true }),
    repeat: Schema.text({ sensitive: true }),
    tags: Schema.list(Schema.oneOf(["red", "blue"]), { max: 1 }),
    address: Schema.record({ street: Schema.string({ min: 1 }) }),
  },
  { validate: ({ password, repeat }) => (password === repeat ? undefined : { repeat: "Not the same" }) },
);
const validateUrl = "/account/validate";
const route = validationRoute(validateUrl, schema);
const ask = application([route], []);

const valid = { email: "ada@example.com", password: "long enough", repeat: "long enough", "address.street": "Lane" };
const validate = async (name: string, values: Record<string, string>, method = "PUT"): Promise<Response> =>
  ask(`${validateUrl}/${encodeURIComponent(name)}`, { method, body: new URLSearchParams(values) });
const errorOf = async (name: string, values: Record<string, string>): Promise<string | undefined> =>
  /class="error"[^>]*>([^<]*)</.exec(await (await validate(name, values)).text())?.[1]?.trim();

describe("live validation", () => {
  test("answers with the changed field and its error", async () => {
    const response = await validate("email", { email: "a" });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("cache-control"), "no-store");
    const page = await response.text();
    assert.match(page, /aria-invalid="true"[^]*aria-describedby="email-error"/);
    assert.match(page, /value="a"/);
    assert.doesNotMatch(page, /password|address/);
    assert.equal(await errorOf("email", { email: "a" }), "Please enter at least 3 characters");
    assert.equal(await errorOf("email", { email: "ada@example.com" }), "");
  });

  test("applies the rules of the whole record", async () => {
    assert.equal(await errorOf("repeat", { ...valid, repeat: "other" }), "Not the same");
    assert.equal(await errorOf("repeat", valid), "");
  });

  test("knows nested fields and groups", async () => {
    assert.equal(await errorOf("address.street", { "address.street": "" }), "Please fill this in");
    assert.match((await errorOf("tags", { tags: "green" })) ?? "", /^Please choose/);
  });

  test("never answers with a sensitive input", async () => {
    for (const name of ["password", "repeat", "email"]) {
      const page = await (await validate(name, { ...valid, password: "my secret", repeat: "my other secret" })).text();
      assert.doesNotMatch(page, /secret/);
    }
  });

  test("renders the field as the form does", async () => {
    const fields: FormFields<Schema.Infer<typeof schema>> = {
      email: { label: "Address", type: "email" },
      address: { fields: { street: { label: "Road" } } },
      repeat: false,
    };
    const labels: string[] = [];
    for (const options of [{ fields }, async () => ({ fields, validateUrl: "/prefix/validate" })]) {
      const send = application([validationRoute(validateUrl, schema, options)], []);
      const answerOf = (name: string): Promise<Response> =>
        send(`${validateUrl}/${name}`, { method: "PUT", body: new URLSearchParams({ email: "a" }) });
      for (const name of ["email", "address.street"]) {
        const page = await (await answerOf(name)).text();
        labels.push(/<label[^>]*>([^<]*)</.exec(page)?.[1]?.trim() ?? "", /hx-put="([^"]*)"/.exec(page)?.[1] ?? "");
      }
      assert.equal((await answerOf("repeat")).status, 404);
    }
    assert.equal(
      labels.join(" "),
      "Address /account/validate/email Road /account/validate/address.street " +
        "Address /prefix/validate/email Road /prefix/validate/address.street",
    );
  });

  test("refuses fields that the schema does not have", async () => {
    for (const name of ["nothing", "email.x", "__proto__", "constructor", "<b>", "csrf", "tags.x"]) {
      assert.equal((await validate(name, valid)).status, 404, name);
    }
  });

  test("answers PUT only, which no link and no other site can send", async () => {
    assert.equal((await ask(`${validateUrl}/email`)).status, 405);
    assert.equal((await validate("email", valid, "POST")).status, 405);
  });
});
