import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { memory } from "../../services/storage/index.ts";
import { boundary, fieldHeader, fileHeader, formOf, outcome, type Read, readAll, requestOf } from "./form.test.ts";
import type { FilePart } from "./part.ts";

/** Returns a seeded pseudo-random number generator. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * sides);
  };
}

/** Splits a body at random positions. */
function* cut(body: Buffer, roll: (sides: number) => number): Generator<Uint8Array> {
  for (let at = 0; at < body.length;) {
    const size = [1, 2, 3, 7, 40, 1000][roll(6)] ?? 1;
    yield body.subarray(at, at + size);
    at += size;
  }
}

// Fragments of contents, most of them similar to a boundary or a part of one.
const shards = [
  "\r",
  "\n",
  "\r\n",
  "-",
  "--",
  `\r\n--${boundary.slice(0, -1)}`,
  `--${boundary}`,
  "\r\n--",
  "ü",
  "\0",
  "x",
];

describe("the parts of a form", () => {
  test("are the same for every chunking", async (t) => {
    const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
    t.diagnostic(`SEED=${seed}`);
    for (let run = 0; run < 300; run++) {
      const roll = dice(seed + run);
      const text = (): string => {
        const joined = Array.from({ length: roll(20) }, () => shards[roll(shards.length)]).join("");
        // Clients choose a boundary that no content contains.
        return joined.includes(`\r\n--${boundary}`) ? text() : joined;
      };
      const sent: Read[] = Array.from({ length: roll(5) }, (_, at) => {
        if (roll(2) === 0) return { name: `n${at}`, content: text() };
        const content = Buffer.from(text()).toString("latin1") + "z".repeat(roll(3) * roll(5000));
        return { name: `n${at}`, filename: `f${at}.bin`, contentType: "a/b", content };
      });
      const body = formOf(
        ...sent.map(({ name, filename, content }) =>
          filename === undefined
            ? ([fieldHeader(name), content] as const)
            : ([fileHeader(name, filename, "a/b"), Buffer.from(content, "latin1")] as const),
        ),
      );
      assert.deepEqual(await readAll(requestOf(cut(body, roll))), sent, `run ${run}`);
    }
  });

  test("have fields in UTF-8, whose characters large chunks may cut", async () => {
    const content = "a😀ü".repeat(10_000);
    const body = formOf([fieldHeader("text"), content]);
    const cutFrom = (bytes: Uint8Array, size: number): readonly Uint8Array[] =>
      Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
    for (let size = 10_000; size < 10_008; size++)
      assert.deepEqual(await readAll(requestOf(cutFrom(body, size))), [{ name: "text", content }]);
    const invalid = Buffer.from(body);
    invalid[invalid.indexOf("ü", 50_000) + 1] = 0x61;
    const unfinished = Buffer.from(body);
    unfinished.write("\xf0", unfinished.lastIndexOf("ü") + 1, "latin1");
    for (const wrong of [invalid, unfinished])
      await assert.rejects(readAll(requestOf(cutFrom(wrong, 10_000))), { code: "E_BODY_MALFORMED" });
  });

  test("allocate few buffers, however small the chunks are", async (t) => {
    const content = "x".repeat(10_000);
    const chunks = Array.from(formOf([fieldHeader("a"), content]), (byte) => Uint8Array.of(byte));
    const alloc = t.mock.method(Buffer, "allocUnsafeSlow");
    assert.deepEqual(await readAll(requestOf(chunks)), [{ name: "a", content }]);
    assert.ok(alloc.mock.callCount() < 10, `${alloc.mock.callCount()} buffers`);
  });

  test("are those of FormData, in any script", async () => {
    const form = new FormData();
    form.append("title", "Grüße\n日本");
    form.append('a"b\r\nc', "");
    form.append("photo", new File(["\x89PNG"], 'süß "1".png', { type: "image/png" }));
    form.append("photo", new File([], "empty.txt"));
    const sent = new globalThis.Request("http://localhost/", { method: "POST", body: form });
    const type = sent.headers.get("content-type") ?? "";
    const read = await readAll(requestOf([new Uint8Array(await sent.arrayBuffer())], { type }));
    assert.deepEqual(read, [
      { name: "title", content: "Grüße\r\n日本" },
      { name: 'a"b\r\nc', content: "" },
      { name: "photo", filename: 'süß "1".png', contentType: "image/png", content: "\xc2\x89PNG" },
      { name: "photo", filename: "empty.txt", contentType: "application/octet-stream", content: "" },
    ]);
  });

  test("may have names in quotes or without, with escapes, and headers in any letter case", async () => {
    const headers = [
      "content-disposition: FORM-DATA; NAME=a",
      'Content-Disposition:form-data;name="a";x=y',
      'Content-Type: text/plain\r\nContent-Disposition: form-data ; name="a" ',
      'Content-Disposition: form-data; name="a"\r\nX-Other: ü\r\nContent-Transfer-Encoding: 8bit',
    ];
    for (const header of headers) assert.deepEqual(await outcome(formOf([header, "1"])), [{ name: "a", content: "1" }]);
    const escaped = 'Content-Disposition: form-data; name="a\\"\\\\b%22%0D%0Ac%41"';
    assert.deepEqual(await outcome(formOf([escaped, "1"])), [{ name: 'a"\\b"\r\nc%41', content: "1" }]);
  });

  test("keep names of object properties, and repeated names", async () => {
    const names = ["__proto__", "constructor", "toString", "a", "a", "a[]", ""];
    const body = formOf(...names.map((name) => [fieldHeader(name), "1"] as const));
    assert.deepEqual(
      await outcome(body),
      names.map((name) => ({ name, content: "1" })),
    );
    assert.equal(({} as Record<string, unknown>)["1"], undefined);
  });

  test("omit a file that was not chosen, but not a file without a name", async () => {
    const empty = fileHeader("photo", "", "application/octet-stream");
    assert.deepEqual(await outcome(formOf([empty, ""], [fieldHeader("a"), "1"])), [{ name: "a", content: "1" }]);
    const nameless = { name: "photo", filename: "file", contentType: "application/octet-stream" };
    assert.deepEqual(await outcome(formOf([empty, "x"])), [{ ...nameless, content: "x" }]);
    const byByte = (body: Buffer): Promise<Read[]> =>
      readAll(requestOf(Array.from(body, (byte) => Uint8Array.of(byte))));
    assert.deepEqual(await byByte(formOf([empty, ""], [fieldHeader("a"), "1"])), [{ name: "a", content: "1" }]);
    assert.deepEqual(await byByte(formOf([empty, "x"])), [{ ...nameless, content: "x" }]);
    assert.equal(await outcome(`--${boundary}\r\n${empty}\r\n\r\n`), "E_BODY_MALFORMED");
  });

  test("may be empty", async () => {
    assert.deepEqual(await outcome(`--${boundary}--\r\n`), []);
    assert.deepEqual(await outcome(`--${boundary}--`), []);
  });
});

describe("a file", () => {
  test("is named by the base name of its file name, never by a path", async () => {
    const names: readonly (readonly [string, string])[] = [
      ["../../etc/passwd", "passwd"],
      ["..", "file"],
      [".", "file"],
      ["/", "file"],
      ["C:\\dir\\photo.png", "photo.png"],
      ["a/..\\b.txt", "b.txt"],
      ["gpj.\u202eexe", "gpj.exe"],
      ["%0D%0ASet-Cookie: a", "Set-Cookie: a"],
      ["=?utf-8?B?YQ==?=", "=?utf-8?B?YQ==?=".split("/").at(-1) ?? ""],
      ["__proto__", "__proto__"],
      [`${"x".repeat(300)}.png`, `${"x".repeat(196)}.png`],
    ];
    for (const [given, name] of names) {
      const [file] = (await outcome(formOf([fileHeader("f", given), "1"]))) as Read[];
      assert.equal(file?.filename, name, given);
    }
  });

  test("that is not read completely is skipped", async () => {
    const big = Buffer.alloc(300_000, "x");
    const body = formOf([fileHeader("a", "a"), big], [fileHeader("b", "b"), big], [fieldHeader("c"), "1"]);
    const names: string[] = [];
    for await (const part of requestOf(cut(body, dice(1))).parts()) {
      names.push(part.name);
      if (part.name === "b" && part.kind === "file") for await (const _ of part) break;
    }
    assert.deepEqual(names, ["a", "b", "c"]);
  });

  test("cannot be read twice, nor after the next part was requested", async () => {
    const body = formOf([fileHeader("a", "a"), "1"], [fileHeader("b", "b"), "2"]);
    const kept: AsyncIterable<Uint8Array>[] = [];
    for await (const part of requestOf([body]).parts()) {
      if (part.kind !== "file") continue;
      if (part.name === "b") for await (const _ of part);
      kept.push(part);
    }
    for (const part of kept) await assert.rejects(Array.fromAsync(part), { code: "E_PART_GONE" });
  });

  test("cannot be iterated twice, not even for its rest", async () => {
    const body = formOf([fileHeader("a", "a"), "x".repeat(5000)]);
    for await (const part of requestOf(cut(body, dice(3))).parts()) {
      if (part.kind === "file") for await (const _ of part) break;
      await assert.rejects(Array.fromAsync(part as FilePart), { code: "E_PART_GONE" });
    }
  });

  test("can be put into a storage with its name and type, unless the client disconnects", async () => {
    const storage = memory();
    await storage.start({ services: [] });
    const body = formOf([fileHeader("a", "a.txt", "text/css"), "one"], [fileHeader("b", "b.txt"), "x".repeat(9000)]);
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield body.subarray(0, 4000);
      throw new Error("gone");
    }
    const storeAll = async (chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> => {
      for await (const part of requestOf(chunks).parts()) if (part.kind === "file") await storage.put(part);
    };
    await assert.rejects(storeAll(broken()), /gone/);
    const [first, ...others] = await Array.fromAsync(storage.list());
    assert.deepEqual([first?.filename, first?.contentType, others.length], ["a.txt", "text/css", 0]);
    await storeAll(cut(body, dice(2)));
    const sizes = (await Array.fromAsync(storage.list())).map(({ size }) => size);
    assert.deepEqual(
      sizes.toSorted((a, b) => a - b),
      [3, 3, 9000],
    );
    await storage.stop();
  });

  test("without a declared type is application/octet-stream", async () => {
    const [file] = (await outcome(formOf([`${fieldHeader("f")}; filename="a"`, "1"]))) as Read[];
    assert.equal(file?.contentType, "application/octet-stream");
  });

  test("is cancelled when its reader stops", async () => {
    const cancelled = Promise.withResolvers<void>();
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        yield Buffer.from(`--${boundary}\r\n${fileHeader("a", "a")}\r\n\r\n`);
        for (;;) yield Buffer.alloc(65_536);
      } finally {
        cancelled.resolve();
      }
    }
    for await (const _ of requestOf(endless()).parts()) break;
    await cancelled.promise;
  });

  test("is received no faster than it is read", async () => {
    let made = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(`--${boundary}\r\n${fileHeader("a", "a")}\r\n\r\n`);
      for (;;) {
        made += 1;
        yield Buffer.alloc(65_536);
      }
    }
    let read = 0;
    for await (const part of requestOf(endless()).parts()) {
      if (part.kind === "file") for await (const _ of part) if (++read === 100) break;
      break;
    }
    assert.ok(made < 110, `${made} chunks were made`);
  });
});
