import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { html, type HtmlStream, type StreamValue } from "./index.ts";

const stream = (strings: TemplateStringsArray, ...values: readonly StreamValue[]): HtmlStream =>
  html.stream(strings, ...values);

async function collectChunks(page: AsyncIterable<string>): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of page) chunks.push(chunk);
  return chunks;
}

describe("a streamed page", () => {
  test("prints the same as html", async () => {
    const page = stream`<p title="${'"'}">${"<"}</p>${[1, html`<b></b>`]}<script>f(${"<"})</script>`;
    assert.deepEqual(await collectChunks(page), [`<p title="&quot;">&lt;</p>1<b></b><script>f("\\u003c")</script>`]);
  });

  test("sends the text printed so far before it waits for a value", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const page = stream`<h1>${"a"}</h1>${promise}<footer>${"b"}</footer>`[Symbol.asyncIterator]();
    assert.deepEqual(await page.next(), { done: false, value: "<h1>a</h1>" });
    resolve("<");
    assert.deepEqual(await page.next(), { done: false, value: "&lt;<footer>b</footer>" });
    assert.equal((await page.next()).done, true);
  });

  test("accepts async iterables, lists of promises, and other streams", async () => {
    async function* rows(): AsyncGenerator<StreamValue> {
      yield html`<li>1</li>`;
      yield await Promise.resolve("<");
      yield undefined;
      yield stream`<i>${Promise.resolve("x")}</i>`;
    }
    const page = stream`<ul>${rows()}</ul>${[Promise.resolve(1), [Promise.resolve("&")]]}${stream`<b>${2}</b>`}`;
    assert.equal((await collectChunks(page)).join(""), "<ul><li>1</li>&lt;<i>x</i></ul>1&amp;<b>2</b>");
  });

  test("awaits values in attributes", async () => {
    assert.equal(
      (await collectChunks(stream`<p ?id=${Promise.resolve(false)} title="${Promise.resolve('"')}">`)).join(""),
      `<p title="&quot;">`,
    );
  });

  test("refuses async iterables and streams in attributes", async () => {
    async function* none(): AsyncGenerator<StreamValue> {}
    for (const value of [none(), stream`a`]) {
      await assert.rejects(collectChunks(stream`<p title="${value}">`), { code: "E_HTML_VALUE" });
    }
    assert.throws(() => String(html`${stream`a` as unknown as string}`), { code: "E_HTML_VALUE" });
  });

  test("throws the error of a rejected value in its turn, without an unhandled rejection", async () => {
    const failing = Promise.reject(new Error("no database"));
    const page = stream`${new Promise<undefined>((resolve) => setImmediate(resolve, undefined))}${"a"}${[failing]}b`;
    const read: string[] = [];
    await assert.rejects(
      async () => {
        for await (const chunk of page) read.push(chunk);
      },
      { message: "no database" },
    );
    assert.equal(read.join(""), "a");
  });

  test("closes the async iterable when the consumer stops", async () => {
    let isClosed = false;
    async function* rows(): AsyncGenerator<string> {
      try {
        for (;;) yield "row";
      } finally {
        isClosed = true;
      }
    }
    for await (const chunk of stream`<ul>${rows()}</ul>`) if (chunk.includes("row")) break;
    assert.equal(isClosed, true);
  });

  test("sends a large page in chunks of limited size", async () => {
    async function* rows(): AsyncGenerator<string> {
      for (let row = 0; row < 2000; row += 1) yield "x".repeat(100);
    }
    const chunks = await collectChunks(stream`<p>${Array.from({ length: 2000 }, () => "x".repeat(100))}</p>${rows()}`);
    assert.ok(chunks.length > 10);
    assert.equal(chunks.join("").length, 400_007);
  });
});
