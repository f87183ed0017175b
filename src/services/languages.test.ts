// Texts of services in German and French, and the pages of the inbox and of the queue.
import assert from "node:assert/strict";
import { test } from "node:test";
import { App, Email, Language, Queue, Web } from "limmat";
import { html } from "limmat/html";
import { de } from "limmat/language/de";
import { en } from "limmat/language/en";
import { fr } from "limmat/language/fr";
import { capturedLog, configuration, fakeClock, type Visitor, visitor } from "limmat/testing";

type Value = unknown;

/** Words that are the same in two languages. */
const identical = new Set([
  "HTML",
  "ID",
  "Text",
  "Cc",
  "Bcc",
  "Status",
  "normal",
  "System",
  "Table",
  "Action",
  "Name",
  "Administration",
]);

/** Returns all texts of a group by path; functions are called with sample values. */
function textsOf(value: Value, path = ""): readonly (readonly [path: string, text: string])[] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value === "function") return textsOf((value as (...values: Value[]) => Value)("7", "8", "9"), path);
  return Object.entries(value as object).flatMap(([key, entry]: [string, Value]) => textsOf(entry, `${path}.${key}`));
}

const english = textsOf(en.services);

for (const [language, texts] of [
  ["de", de],
  ["fr", fr],
] as const) {
  test(`every text of the services is translated: ${language}`, () => {
    const translated = new Map(textsOf(texts.services));
    assert.deepEqual(
      [...translated.keys()],
      english.map(([path]) => path),
    );
    const same = english.filter(([path, text]) => translated.get(path) === text && !identical.has(text));
    assert.deepEqual(same, []);
  });
}

test("French texts have a typographic apostrophe and a no-break space before double punctuation", () => {
  for (const [, text] of textsOf(fr.services)) assert.doesNotMatch(text, /'| [:;?!]/, text);
});

const language = Language.make("en", { en: {}, de: {}, fr: {} }, { framework: { de, fr } });

interface Site extends AsyncDisposable {
  readonly email: Email.EmailService;
  readonly queue: Queue.Queue;
  /** Returns a visitor whose browser prefers a language. */
  readonly guest: (preferred: string) => Visitor;
}

/** Starts an application with the inbox at `/mails` and the dashboard of the queue at `/jobs`. */
async function openSite(
  jobs: readonly Queue.JobDefinition[],
  previews: readonly Email.MailPreview[] = [],
): Promise<Site> {
  const settings = configuration({ FRAMEWORK_ENV: "test", CHECK_CSRF: "true" });
  const [email, queue] = [Email.memory(), Queue.memory({ jobs: () => jobs })];
  const router = Web.choose([
    Web.choose([Email.Web.inbox({ email, previews })], { scope: "/mails" }),
    Web.choose([Queue.Web.router({ queue })], { scope: "/jobs" }),
  ]);
  const middlewares = [Web.Middleware.language(language)];
  const app = App.create({ services: [email, queue, Web.Http.service({ router, middlewares })] });
  await app.start({ server: false });
  return {
    email,
    queue,
    guest: (preferred) =>
      visitor({
        request: (path, init) => {
          const headers = new Headers(init?.headers);
          headers.set("accept-language", preferred);
          return app.request(path, { ...init, headers });
        },
      }),
    [Symbol.asyncDispose]: async () => {
      await app.stop();
      settings[Symbol.dispose]();
    },
  };
}

/** Returns the words that a page shows or a screen reader reads, without identifiers. */
const shownTexts = (page: string): readonly string[] =>
  [...page.replaceAll(/<style>[^]*?<\/style>/g, "").matchAll(/ (?:aria-label|title)="([^"]*)"|>([^<>]+)(?=<|$)/g)]
    .map(([, attribute, content = ""]) => (attribute ?? content).replaceAll(/[\da-f-]{36}|\s+/g, " ").trim())
    .filter((shown) => /\p{L}{2}/u.test(shown));

/** Asserts that the pages of a language show no text of the English ones, except for data and words of both languages. */
async function assertTranslated(
  visit: (preferred: string) => Promise<readonly string[]>,
  shared: Readonly<Record<"de" | "fr", readonly string[]>>,
  data: RegExp,
): Promise<void> {
  const englishPages = await visit("en");
  const englishTexts = new Set(englishPages.flatMap(shownTexts));
  for (const [name, words] of Object.entries(shared)) {
    const pages = await visit(name);
    assert.equal(pages.length, englishPages.length);
    for (const page of pages) assert.match(page, new RegExp(`^<!doctype html>\\s*<html lang="${name}"`));
    const same = pages.flatMap(shownTexts).filter((shown) => englishTexts.has(shown) && !data.test(shown));
    assert.deepEqual([name, [...new Set(same)].sort()], [name, words]);
  }
}

test("the inbox is in the language of the visitor", async () => {
  const previews = [() => ({ subject: "μ", text: "μ" })];
  await using site = await openSite([], previews);
  const visit = async (preferred: string): Promise<readonly string[]> => {
    site.email.inbox.clear();
    const guest = site.guest(preferred);
    const pages = [await guest.get("/mails")];
    await site.email.send({ recipient: "ada@example.com", subject: "", text: "μ" });
    pages.push(await guest.get("/mails"));
    await site.email.send({
      sender: "shop@example.com",
      recipient: "ada@example.com",
      cc: "bob@example.com",
      bcc: "eve@example.com",
      replyTo: "help@example.com",
      subject: "μ",
      html: html`<p>μ</p>`,
      tags: ["7"],
      headers: { "X-Order": "7" },
      attachments: [
        { name: "μ.txt", content: "μ" },
        { name: "ν.txt", content: "μ".repeat(1000) },
      ],
    });
    pages.push(await guest.get("/mails"));
    for (const { id } of [...site.email.inbox.all(), { id: "preview-0" }]) pages.push(await guest.get(`/mails/${id}`));
    return pages.map(({ body }) => body);
  };
  const shared = { de: ["Bcc", "Cc", "HTML", "Text"], fr: ["Cc", "HTML"] };
  await assertTranslated(visit, shared, /@example\.com$|^[μν]\.txt$|^X-Order$/);
});

test("the dashboard of the queue is in the language of the visitor", async () => {
  using _ = capturedLog("error");
  using clock = fakeClock();
  const [started, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const note = Queue.job({
    name: "note.keep",
    maxAttempts: 1,
    handle: async ({ text }: { readonly text: string }) => {
      if (text === "fails") throw new Error("ορος");
      if (text !== "waits") return;
      started.resolve();
      await released.promise;
    },
  });
  await using site = await openSite([note]);
  const { queue } = site;
  await queue.dispatch(note, { text: "μ" }, { priority: "low" });
  const failed = await queue.dispatch(
    note,
    { text: "fails" },
    { priority: "high", tag: "ορος", ctx: [["tenant", "7"]] },
  );
  await queue.runDue();
  await queue.dispatch(note, { text: "μ".repeat(20_000) }, { delayMs: 60_000 });
  const cancelled = await queue.dispatch(note, { text: "μ" }, { delayMs: 60_000 });
  await queue.cancel(cancelled);
  await clock.advance(1000);
  await queue.dispatch(note, { text: "waits" });
  const run = queue.runDue();
  await started.promise;
  const statuses = (await queue.search({}))[0].map(({ status }) => status);
  assert.deepEqual(new Set(statuses), new Set(["pending", "running", "succeeded", "failed", "cancelled"]));

  const visit = async (preferred: string): Promise<readonly string[]> => {
    const guest = site.guest(preferred);
    const pages = [];
    for (const query of ["", "?limit=2", "?limit=2&offset=2", "?refresh=on", "?filter=none", "?status=failed"]) {
      pages.push(await guest.get(`/jobs${query}`));
    }
    for (const { id } of (await queue.search({}))[0]) pages.push(await guest.get(`/jobs/${id}`));
    for (const action of ["requeue", "requeue", "cancel", "cancel"]) {
      pages.push(await guest.follow(await guest.post(`/jobs/${failed}/${action}`)));
    }
    const running = (await queue.search({ status: "running" }))[0][0]?.id;
    pages.push(await guest.follow(await guest.post(`/jobs/${running}/requeue`)));
    return pages.map(({ body }) => body);
  };
  const shared = { de: ["ID", "Status", "normal"], fr: [] };
  try {
    await assertTranslated(visit, shared, /^note\.keep$|ορος|μ|^tenant: 7$|^\{/);
  } finally {
    released.resolve();
    await run;
  }
});
