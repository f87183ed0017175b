import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assert as check, constantFrom, oneof, property, string } from "fast-check";
import { html, type Html } from "../../html/index.ts";
import { Language } from "../../language/index.ts";
import { de } from "../../language/texts/de/index.ts";
import { Form, Schema } from "../../schema/index.ts";
import { errorSummary, field, fileField, form, type FormFields, formOf, humanize, table } from "./index.ts";
import { rounds } from "../../../test/rounds.ts";
import { anyCharacter } from "../../../test/any-character.ts";

const language = Language.make("en", { en: {}, de: {} }, { framework: { de } });
const address = Schema.record({ street: Schema.string({ min: 1 }), zip: Schema.optional(Schema.string()) });
const schema = Schema.record({
  title: Schema.string({ min: 1, max: 80 }),
  notes: Schema.text(),
  pages: Schema.int({ min: 1, max: 9 }),
  rating: Schema.optional(Schema.float()),
  price: Schema.decimal({ min: 0 }),
  sold: Schema.bool(),
  published_on: Schema.optional(Schema.date()),
  read_at: Schema.datetime(),
  state: Schema.oneOf(["draft", "in_print"]),
  tags: Schema.list(Schema.oneOf(["red", "blue"]), { min: 1 }),
  password: Schema.text({ sensitive: true }),
  address,
  lines: Schema.list(Schema.record({ label: Schema.string({ min: 1 }), count: Schema.int() })),
  words: Schema.list(Schema.string({ min: 1 })),
});

const render = (
  name: Parameters<typeof field<Schema.Infer<typeof schema>>>[2],
  options = {},
  data = schema.fill(null),
): string => String(field(schema, data, name, options)).replaceAll(/\s+/g, " ");
/** Returns a page on one line, as the layout of a template means nothing. */
const squash = (page: Html): string => String(page).replaceAll(/\s+/g, " ").replaceAll(/ \/?>/g, ">").trim();
/** Returns the attributes of the first element of a kind. */
const attributesOf = (page: Html | string, element: string): Readonly<Record<string, string>> => {
  const tag = new RegExp(`<${element}(\\s[^>]*)>`).exec(String(page))?.[1] ?? "";
  return Object.fromEntries(
    [...tag.matchAll(/([\w:-]+)(?:="([^"]*)")?/g)].map(([, name = "", value = ""]) => [name, value]),
  );
};

describe("a field", () => {
  test("has the control that suits its schema", () => {
    const types = (["title", "pages", "rating", "price", "sold", "published_on", "read_at", "password"] as const).map(
      (name) => attributesOf(render(name), "input").type,
    );
    assert.deepEqual(types, ["text", "number", "number", "text", "checkbox", "date", "datetime-local", "password"]);
    assert.match(render("notes"), /<textarea id="notes" name="notes"/);
    assert.match(render("state"), /<select id="state" name="state" required/);
  });

  test("offers an empty choice only if the field may stay empty, or has no value yet", () => {
    const states = Schema.record({
      state: Schema.oneOf(["open", "closed"], { default: "open" }),
      kind: Schema.optional(Schema.oneOf(["bug", "idea"])),
      size: Schema.oneOf(["small", "large"]),
    });
    const select = (name: "state" | "kind" | "size", data = states.fill()): string => squash(field(states, data, name));
    assert.doesNotMatch(select("state"), /value=""|optional|required/);
    assert.match(select("state"), /<option value="open" selected>Open/);
    assert.doesNotMatch(squash(field(states, states.fill(), "state", { type: "radio" })), /optional|required/);
    assert.match(select("kind"), /optional[^]*<option value="">None</);
    assert.match(select("size"), /required[^]*<option value="">Please choose</);
    // A value that is no choice must not turn into the first choice unseen.
    assert.match(select("state", states.decode([["state", "gone"]]).form), /<option value="">Please choose</);
  });

  test("has the constraints of its schema, and none that is stricter", () => {
    const title = attributesOf(render("title"), "input");
    assert.deepEqual([title.maxlength, "minlength" in title, "required" in title], ["160", false, true]);
    const pages = attributesOf(render("pages"), "input");
    assert.deepEqual([pages.min, pages.max, pages.step, pages.inputmode], ["1", "9", undefined, "numeric"]);
    assert.equal(attributesOf(render("rating"), "input").step, "any");
    const price = attributesOf(render("price"), "input");
    assert.deepEqual([price.inputmode, price.step, price.maxlength], ["decimal", undefined, undefined]);
    for (const name of ["notes", "rating", "published_on", "sold"] as const)
      assert.doesNotMatch(render(name), /required/);
  });

  test("shows a decimal with the separator of the language, and again as it was typed", () => {
    const { run } = Language.make("en", { en: {}, de: {} }, { framework: { de } });
    const prices = Schema.record({ price: Schema.decimal({ min: "-5" }) });
    const shown = (data: Form): ReturnType<typeof attributesOf> =>
      attributesOf(squash(field(prices, data, "price")), "input");
    run("de", () => {
      const filled = shown(prices.fill({ price: "12.50" }));
      assert.deepEqual([filled.value, filled.type, filled.inputmode], ["12,50", "text", undefined]);
      const { form: refused } = prices.decode([["price", "1.234"]]);
      assert.equal(shown(refused).value, "1.234");
      assert.match(squash(field(prices, refused, "price")), /Bitte geben Sie eine Zahl/);
    });
  });

  test("marks what may stay empty", () => {
    assert.match(render("rating"), /<label for="rating">Rating <span class="optional">\(optional\)<\/span><\/label>/);
    assert.doesNotMatch(render("title"), /optional/);
    assert.doesNotMatch(render("sold"), /optional/);
  });

  test("links hint and error with its control", () => {
    const data = Form.withErrors(schema.fill(null), { title: "Too short" });
    const page = render("title", { hint: "On the cover" }, data);
    const input = attributesOf(page, "input");
    assert.deepEqual([input["aria-describedby"], input["aria-invalid"]], ["title-hint title-error", "true"]);
    assert.match(page, /<p class="hint" id="title-hint">On the cover<\/p>/);
    assert.match(page, /<p class="error" id="title-error">Too short<\/p>/);
    assert.equal(attributesOf(render("title"), "input")["aria-describedby"], undefined);
  });

  test("shows its value, but never that of a password", () => {
    const data = schema.fill({ title: "Heidi", sold: true, state: "in_print", notes: "\na", password: "secret" });
    assert.equal(attributesOf(render("title", {}, data), "input").value, "Heidi");
    assert.match(render("sold", {}, data), / checked/);
    assert.match(render("state", {}, data), /<option value="in_print" selected>In print<\/option>/);
    assert.match(String(field(schema, data, "notes")), />\s*\n\na<\/textarea>/);
    assert.doesNotMatch(render("title", { type: "password" }, data), /Heidi/);
    const typed: Form = [["password", "secret", undefined]];
    assert.doesNotMatch(render("password", {}, typed), /secret/);
    assert.doesNotMatch(render("password", { type: "hidden" }, typed), /secret/);
    assert.doesNotMatch(render("password", { type: "textarea" }, typed), /secret/);
  });

  test("is a group with a legend if it has several controls", () => {
    const data = Form.withErrors(schema.fill({ tags: ["blue"] }), { tags: "Too few" });
    const tags = render("tags", {}, data);
    assert.match(tags, /^ ?<fieldset class="field is-invalid" aria-describedby="tags-error" > <legend>Tags<\/legend>/);
    assert.match(tags, /id="tags" name="tags" type="checkbox" value="red"[^>]*aria-invalid="true"/);
    assert.match(tags, /id="tags-2" name="tags" type="checkbox" value="blue" checked/);
    const state = render("state", { type: "radio" }, Form.withErrors(schema.fill(null), { state: "Choose" }));
    assert.match(
      state,
      /<fieldset class="field is-invalid" role="radiogroup" aria-required="true" aria-invalid="true"/,
    );
    assert.match(state, /id="state" name="state" type="radio" value="draft"/);
  });

  test("shows the error of a wrong choice", () => {
    const { form: data } = schema.decode([["tags", "green"]]);
    assert.match(render("tags", {}, data), /<p class="error" id="tags-error">Please choose/);
  });

  test("is a group for a nested record, and for each row of a list and an empty one", () => {
    const data = schema.fill({ lines: [{ label: "Milk", count: 2 }], words: ["a"] });
    const lines = render("lines", { fields: { label: { label: "Article" } } }, data);
    for (const name of ["lines.0.label", "lines.0.count", "lines.1.label", "lines.1.count"]) {
      assert.ok(lines.includes(`name="${name}"`), name);
    }
    assert.match(lines, /<legend>Lines<\/legend>.*<legend>Item 1<\/legend>.*Article.*value="Milk".*<legend>Item 2</);
    assert.match(lines, /name="lines.0.label"[^>]* required/);
    assert.doesNotMatch(lines, /name="lines.1.label"[^>]* required/);
    assert.match(render("words", {}, data), /name="words.0"[^>]*value="a".*name="words.1"/);
    assert.match(
      render("address"),
      /<legend>Address<\/legend>.*name="address.street"[^>]*required.*name="address.zip"/,
    );
    assert.match(render("address.street", { label: "Street" }), /<label for="address.street">Street<\/label>/);
  });

  test("of a list shows the errors of its rows in the rows", () => {
    const { form: data } = schema.decode([["lines.0.label", "Milk"]]);
    const page = render("lines", {}, data);
    assert.equal(page.match(/class="error"/g)?.length, 1);
    assert.match(page, /id="lines.0.count-error"/);
  });

  test("refuses a name that the schema does not have, and choices that are missing", () => {
    for (const name of [
      "nothing",
      "title.x",
      "lines.x.label",
      "lines.0.nothing",
      "tags.__proto__",
      "constructor",
      "",
    ]) {
      assert.throws(() => render(name as "title"), { code: "E_COMPONENT_FIELD" }, name);
    }
    assert.throws(() => render("title", { type: "select" }), { code: "E_COMPONENT_TYPE" });
    assert.match(render("title", { type: "select", choices: [["1", "One"]] }), /<option value="1">One<\/option>/);
  });

  test("may be a file", () => {
    const page = fileField([["photo", undefined, "Too large"]], "photo", { accept: "image/*", isMultiple: true });
    const { type, accept, multiple, ...others } = attributesOf(page, "input");
    assert.deepEqual([type, accept, multiple, others["aria-invalid"]], ["file", "image/*", "", "true"]);
    assert.ok(!("value" in others));
  });

  test("has the attributes of a live validation only if it is asked for", () => {
    assert.doesNotMatch(render("title"), /hx-/);
    const page = render("title", { validateUrl: "/books/validate" });
    assert.match(page, /<div class="field" hx-put="\/books\/validate\/title" hx-trigger="change"/);
    assert.match(page, /<p class="error" id="title-error" aria-live="polite"><\/p>/);
  });
});

describe("a form", () => {
  const options = { csrf: "token", action: "/books", submit: "Add" };

  test("has token, method, version and buttons", () => {
    const page = squash(form({ ...options, method: "put", version: 3, cancel: "/books" }, html`<p>Content</p>`));
    for (const part of [
      '<input type="hidden" name="csrf" value="token">',
      '<input type="hidden" name="_method" value="put">',
      '<input type="hidden" name="version" value="3">',
      "<p>Content</p>",
      "<button>Add</button>",
      '<a class="button secondary" href="/books">Cancel</a>',
    ]) {
      assert.ok(page.includes(part), part);
    }
    const plain = squash(form(options, "Content"));
    assert.doesNotMatch(plain, /_method|version|Cancel|multipart/);
    assert.match(squash(form({ ...options, isMultipart: true }, "")), /enctype="multipart\/form-data"/);
  });

  test("of a schema has all fields in their order, or those that are asked for", () => {
    const namesOf = (page: Html): string[] =>
      [...String(page).matchAll(/ name="([\w.]+)"/g)].map(([, name = ""]) => name);
    const all = namesOf(formOf(schema, schema.fill(), options));
    assert.deepEqual([...new Set(all.map((name) => name.split(".")[0]))], ["csrf", ...schema.fields]);
    const some = formOf(schema, schema.fill(), {
      ...options,
      only: ["price", "title"],
      fields: { price: { label: "CHF" } },
    });
    assert.deepEqual(namesOf(some), ["csrf", "price", "title"]);
    assert.match(squash(some), /<label for="price">CHF<\/label>/);
    assert.deepEqual(
      namesOf(formOf(schema, schema.fill(), { ...options, only: ["price", "title"], fields: { price: false } })),
      ["csrf", "title"],
    );
  });

  test("of a schema renders its fields by the function of the project", () => {
    const page = formOf(schema, schema.fill(), {
      ...options,
      only: ["title"],
      field: (_, __, name) => html`<b>${name}</b>`,
    });
    assert.match(String(page), /<b>title<\/b>/);
  });

  test("begins with a summary of its errors, which has the focus and links to each field", () => {
    const { form: data } = schema.decode([
      ["pages", "0"],
      ["tags", "green"],
    ]);
    const page = squash(formOf(schema, data, { ...options, fields: { pages: { label: "Number of pages" } } }));
    const [summary = ""] = /<div class="error-summary"[^]*?<\/div>/.exec(page) ?? [];
    assert.match(summary, /role="alert" tabindex="-1" autofocus/);
    assert.match(summary, /<a href="#pages">Number of pages: Please enter 1 or more<\/a>/);
    assert.equal(page.match(/ autofocus/g)?.length, 1);
    const targets = [...summary.matchAll(/href="#([^"]+)"/g)].map(([, id = ""]) => id);
    assert.equal(targets.length, Object.keys(Form.errors(data)).length);
    for (const id of targets) assert.ok(page.includes(` id="${id}"`), id);
    assert.doesNotMatch(squash(formOf(schema, schema.fill(), options)), /error-summary/);
  });

  test("names the records around a field in the summary, and links only to fields that it shows", () => {
    const problems = { "address.street": "A", "lines.0.count": "B", "lines.1.label": "C", owner: "D" };
    const data = Form.withErrors(schema.fill({ lines: [{ label: "Milk", count: 1 }] }), problems);
    const fields = { lines: { label: "Articles", fields: { count: { label: "Number" } } } };
    const page = squash(formOf(schema, data, { ...options, fields }));
    for (const line of ["Address, Street: A", "Articles 1, Number: B", "Articles 2, Label: C"]) {
      assert.match(page, new RegExp(`<a href="#[\\w.]+">${line}</a>`));
    }
    assert.match(page, /<li>D<\/li>/);
  });

  test("may have a message as a whole, and a prefix of ids", () => {
    const data = Form.withErrors(schema.fill(), { title: "Wrong" });
    const page = squash(
      formOf(schema, data, { ...options, only: ["title"], message: "Please <wait>", idPrefix: "new-" }),
    );
    assert.match(page, /<p>Please &lt;wait&gt;<\/p>/);
    assert.match(page, /href="#new-title"[^]*for="new-title"[^]*id="new-title-error"[^]*id="new-title" name="title"/);
    assert.equal(errorSummary(schema.fill()), undefined);
  });

  test("has texts in another language", () => {
    const { optional, problem, pleaseChoose, cancel } = de.components;
    const data = Form.withErrors(schema.fill(), { rating: "?" });
    const page = language.run("de", () =>
      squash(formOf(schema, data, { ...options, cancel: "/", only: ["rating", "state"] })),
    );
    for (const text of [optional, problem, pleaseChoose, cancel]) assert.ok(page.includes(text), text);
  });
});

test("names of fields and columns are checked by their type, and may be those that every object has", () => {
  // @ts-expect-error: the schema has no such field
  assert.throws(() => field(schema, [], "titel"), { code: "E_COMPONENT_FIELD" });
  // @ts-expect-error: the schema has no such field
  formOf(schema, [], { csrf: "", submit: "", only: ["title"], fields: { titel: {} } });
  // @ts-expect-error: the items have no such property
  table([{ title: "a" }], { caption: "", columns: ["titel"] });
  const inherited = Schema.record({
    constructor: Schema.datetime(),
    toString: Schema.optional(Schema.string()),
    valueOf: Schema.record({ constructor: Schema.int() }),
  });
  const fields: FormFields<Schema.Infer<typeof inherited>> = { toString: { label: "Text" } };
  const page = squash(formOf(inherited, inherited.fill(), { csrf: "", submit: "", fields }));
  for (const label of ["Constructor", "Text"]) assert.match(page, new RegExp(`<label for="[\\w.]+">${label}[ <]`));
  assert.match(page, /name="valueOf.constructor"/);
  const own: FormFields<Schema.Infer<typeof inherited>> = { constructor: { label: "Built" } };
  assert.match(squash(formOf(inherited, inherited.fill(), { csrf: "", submit: "", fields: own })), /">Built</);
});

test("humanize makes words of names, and leaves other texts", () => {
  const cases = {
    published_on: "Published on",
    author_id: "Author",
    "lines.0.unitPrice": "Unit price",
    "eu-west-1": "eu-west-1",
    Ärger: "Ärger",
    "a b": "a b",
    "": "",
  };
  for (const [name, words] of Object.entries(cases)) assert.equal(humanize(name), words);
});

test("hostile texts stay texts in every slot", () => {
  const markers = [
    "<script>alert(1)</script>",
    '" onfocus="alert(1)',
    "'--><img src=x onerror=alert(1)>",
    "</textarea><b>",
    "</title><b>",
  ];
  check(
    property(oneof(constantFrom(...markers), string({ unit: anyCharacter, maxLength: 40 })), (text) => {
      const data: Form = ["title", "notes", "state"].map((name) => [name, text, text]);
      const fieldOptions = {
        label: text,
        hint: text,
        placeholder: text,
        autocomplete: text,
        choices: [text, [text, text] as const],
        idPrefix: text,
        rows: 3,
      };
      const page = squash(
        formOf(schema, data, {
          csrf: text,
          action: `/x?${encodeURIComponent(text.toWellFormed())}`,
          submit: text,
          cancel: "/",
          before: text,
          after: text,
          message: text,
          className: text,
          id: text,
          only: ["title", "notes", "state"],
          fields: { title: fieldOptions, notes: fieldOptions, state: { ...fieldOptions, type: "radio" } },
          texts: { fields: { title: text, state: text }, choices: { state: { draft: text } } },
        }),
      );
      assert.doesNotMatch(page, /<(?:script|img|b)\b/);
      assert.doesNotMatch(page.replaceAll(/"[^"]*"/g, '""'), /<[^>]* on\w+=/);
      // Each quote of the text is escaped, so that the number of tags depends on no text.
      assert.equal(page.match(/<(?:input|textarea|select|button|form|fieldset|label)\b/g)?.length, tagCount);
    }),
    { numRuns: rounds(300) },
  );
});

const tagCount = 12;
