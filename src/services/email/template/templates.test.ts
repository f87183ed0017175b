// Stored templates, on every database.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as fc from "fast-check";
import { App, Cleaner, Configuration, Email, Form, Migration, Time, Web } from "limmat";
import { ConfigurationInternals } from "../../../config/index.ts";
import type { Database } from "limmat/database";
import { mariadb } from "limmat/database/mariadb";
import { postgresql } from "limmat/database/postgresql";
import { sqlite } from "limmat/database/sqlite";
import { html } from "limmat/html";
import { fakeClock } from "limmat/testing";
import { mariadb as mariadbServer } from "../../../../test/servers/mariadb.ts";
import { postgresql as postgresqlServer } from "../../../../test/servers/postgresql.ts";
import { withServer } from "../../../../test/servers/server.ts";

const welcome: Email.TemplateInput = {
  label: "welcome",
  language: "",
  subject: "Welcome, {name}",
  text: "Hello {name}: {link}",
  html: '<style>p{color:red}</style><p>Hello <a href="{link}">{name}</a></p>',
};

function cases(name: string, database: Database): void {
  describe(name, () => {
    const template = Email.Template.service({ database });
    let app: App.Application;

    before(async () => {
      Configuration.store([["FRAMEWORK_ENV", "test"]]);
      app = App.create({ services: [template, Migration.service({ database, onPending: "run" })] });
      await app.start({ server: false });
    });
    after(async () => {
      await app.stop();
      ConfigurationInternals.reset();
    });
    const add = async (input: Partial<Email.TemplateInput> = {}): Promise<Email.EmailTemplate> => {
      const added = await template.insert({ ...welcome, ...input });
      assert.ok(added.ok);
      return added.value;
    };

    test("an invalid id is unknown, and a language of any length is accepted in lookups", async () => {
      await Cleaner.cleanAll();
      const { id } = await add({ language: "de" });
      for (const wrong of ["abc", "", "a\0b", `${id} `, "1 or 1=1"]) {
        assert.equal(await template.find(wrong), undefined);
        assert.deepEqual(await template.update(wrong, welcome), {
          ok: false,
          error: { id: "There is no such template" },
        });
        assert.ok((await template.delete({ id: wrong })).ok);
      }
      assert.equal((await template.findByLabel("welcome", { language: `de${"-CH".repeat(50_000)}` }))?.id, id);
    });

    test("a template is read back as it was written", async () => {
      await Cleaner.cleanAll();
      using clock = fakeClock();
      const added = await add({ text: "Grüße 🎉 '\"\\ {name}\n", html: "" });
      assert.deepEqual(await template.find(added.id), added);
      assert.deepEqual(added.created_at, Time.now());
      await clock.advance(1000);
      const updated = await template.update(added.id, { ...welcome, subject: "Hi" });
      assert.ok(updated.ok);
      assert.deepEqual(updated.value, {
        ...added,
        ...welcome,
        subject: "Hi",
        updated_at: Time.now(),
      });
      assert.deepEqual(await template.delete(added), { ok: true, value: undefined });
      assert.equal(await template.find(added.id), undefined);
      assert.deepEqual(await template.update(added.id, welcome), {
        ok: false,
        error: { id: "There is no such template" },
      });
    });

    test("a label has at most one template per language", async () => {
      await Cleaner.cleanAll();
      const taken = { ok: false, error: { label: "This label already has a template in this language" } };
      await add();
      const german = await add({ language: "de" });
      assert.deepEqual(await template.insert(welcome), taken);
      assert.deepEqual(await template.update(german.id, welcome), taken);
      assert.equal((await template.update(german.id, { ...welcome, language: "de" })).ok, true);
    });

    test("a label is found in the best matching language", async () => {
      await Cleaner.cleanAll();
      for (const language of ["", "de", "de-CH", "fr-CH"]) await add({ language });
      await add({ label: "goodbye", language: "de" });
      const find = async (label: string, language?: string): Promise<string | undefined> =>
        (await template.findByLabel(label, language === undefined ? {} : { language }))?.language;
      assert.deepEqual(
        await Promise.all(["de-CH", "de-AT-1996", "de", "fr", "en", ""].map((language) => find("welcome", language))),
        ["de-CH", "de", "de", "", "", ""],
      );
      assert.equal(await find("welcome"), "");
      assert.equal(await find("goodbye"), undefined);
      assert.equal(await find("goodbye", "de-CH"), "de");
      assert.equal(await find("unknown", "de"), undefined);
    });

    test("templates are searched page by page", async () => {
      await Cleaner.cleanAll();
      for (const label of ["a", "b", "c"]) await add({ label, subject: `100% ${label}` });
      const [page, total] = await template.search({ filter: "0% ", limit: 2 });
      assert.deepEqual([page.map(({ label }) => label), total], [["a", "b"], 3]);
      const [last] = await template.search({ sort: "desc", limit: 1, offset: 2 });
      assert.deepEqual(
        last.map(({ label }) => label),
        ["a"],
      );
    });

    test("a duplicate label does not abort the surrounding transaction", async () => {
      await Cleaner.cleanAll();
      await database.transaction(async () => {
        await add();
        assert.equal((await template.insert(welcome)).ok, false);
        await add({ label: "other" });
      });
      assert.equal((await template.search())[1], 2);
    });

    test("changes take part in the surrounding transaction", async () => {
      await Cleaner.cleanAll();
      await assert.rejects(
        database.transaction(async () => {
          await add();
          throw new Error("undo");
        }),
        /undo/,
      );
      assert.deepEqual(await template.search(), [[], 0]);
    });
  });
}

cases("sqlite", sqlite({ url: ":memory:" }));
await withServer(postgresqlServer, ({ url }) => cases("postgresql", postgresql({ url })));
await withServer(mariadbServer, ({ url }) => cases("mariadb", mariadb({ url })));

describe("a rendered template", () => {
  const values = { name: "<b>Ada</b> & {link}", link: "https://example.com/?a=1&b=2" };

  test("inserts values literally in text and HTML, once", () => {
    const rendered = Email.Template.render(welcome, values);
    assert.equal(rendered.subject, "Welcome, <b>Ada</b> & {link}");
    assert.equal(rendered.text, "Hello <b>Ada</b> & {link}: https://example.com/?a=1&b=2");
    assert.equal(
      String(rendered.html),
      '<style>p{color:red}</style><p>Hello <a href="https://example.com/?a=1&amp;b=2">&lt;b&gt;Ada&lt;/b&gt; &amp; {link}</a></p>',
    );
  });

  test("can be spread into a message", async () => {
    const email = Email.memory();
    await email.send({ recipient: "ada@example.com", ...Email.Template.render({ ...welcome, html: "" }, values) });
    assert.equal(email.inbox.all()[0]?.html, undefined);
    await email.send({
      recipient: "ada@example.com",
      ...Email.Template.render(welcome, { ...values, name: "a\r\nBcc: b" }),
    });
    assert.equal(email.inbox.all()[0]?.subject, "Welcome, a Bcc: b");
  });

  test("requires every value, also those named like an object property", () => {
    assert.throws(() => Email.Template.render(welcome, { name: "Ada" }), {
      code: "E_EMAIL_TEMPLATE_VALUE",
      message: /"welcome".*\{link\}/,
    });
    assert.throws(() => Email.Template.render({ ...welcome, text: "{constructor}" }, values), {
      code: "E_EMAIL_TEMPLATE_VALUE",
    });
  });

  test("escapes values in HTML", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (name) => {
        const { html: page } = Email.Template.render(
          { ...welcome, html: '<p title="{name}">{name}</p>' },
          { ...values, name },
        );
        assert.match(String(page), /^<p title="[^<>"]*">[^<>"]*<\/p>$/);
      }),
    );
  });
});

test("the template form reports invalid fields", () => {
  const wrong = { label: "a b", language: "deutsch!", subject: "a\nb", text: "", html: "" };
  const { form } = Email.Template.schema.decode(Object.entries(wrong));
  for (const field of ["label", "language", "subject"]) assert.ok(Form.find(form, field)[1] !== undefined, field);
  assert.equal(Form.find(form, "text")[1], undefined);
});

test("the service works as a resource", () => {
  const page = (): ReturnType<typeof html> => html`<p></p>`;
  const router = Web.Rest.resourceOfService({
    name: "templates",
    schema: Email.Template.schema,
    service: Email.Template.service({ database: sqlite({ url: ":memory:" }) }),
    view: { index: page, new: page, show: page, edit: page },
  });
  assert.ok(Web.choose(router).routes.some(({ path }) => path === "/templates/:id/edit"));
});
