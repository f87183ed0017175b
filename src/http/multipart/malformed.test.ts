// Malformed and oversized forms, and the error code of each.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { errors } from "../errors.ts";
import { boundary, fieldHeader, fileHeader, formOf, outcome, readAll, requestOf } from "./form.test.ts";
import type { UploadLimits } from "./part.ts";

const malformed = "E_BODY_MALFORMED";
const field = fieldHeader("a");
const whole = formOf([field, "1"]).toString();

describe("a form is refused", () => {
  const bodies: Readonly<Record<string, string>> = {
    "that is empty": "",
    "without its last boundary": whole.slice(0, whole.lastIndexOf("\r\n--")),
    "whose last boundary is cut": whole.slice(0, -4),
    "whose last boundary ends otherwise": `${whole.slice(0, -4)}xx\r\n`,
    "that ends in a header": `--${boundary}\r\n${field}\r\n`,
    "that ends in a boundary": `--${boundary}`,
    "with another boundary": whole.replaceAll(boundary, "other"),
    "with a boundary that goes on": whole.replace(`--${boundary}\r\n`, `--${boundary}x\r\n`),
    "with a boundary that goes on instead of a line break": whole.replace(`--${boundary}\r\n`, `--${boundary}xx`),
    "with another first boundary of the same length": whole.replace(boundary, boundary.replace("7", "8")),
    "with a first boundary within a line": `preamble ${whole}`,
    "with words behind the blanks after a boundary": whole.replace(`--${boundary}\r\n`, `--${boundary} x\r\n`),
    "with 9,000 blanks behind a boundary": whole.replace(`--${boundary}\r\n`, `--${boundary}${" ".repeat(9000)}\r\n`),
    "with a last boundary that goes on": whole.replace(`--${boundary}--`, `--${boundary}--more`),
    "with bare line feeds": whole.replaceAll("\r\n", "\n"),
    "with bare carriage returns": whole.replaceAll("\r\n", "\r"),
    "with a content that holds a longer boundary": formOf([field, `1\r\n--${boundary}-inner\r\n2`]).toString(),
    "with a field that is not UTF-8": formOf([field, Buffer.from([0xff])]).toString("latin1"),
  };
  for (const [name, body] of Object.entries(bodies)) {
    test(name, async () => {
      assert.equal(await outcome(Buffer.from(body, "latin1")), malformed);
    });
  }

  const headers: Readonly<Record<string, string>> = {
    "without headers": "",
    "without a disposition": "Content-Type: text/plain",
    "with another disposition": 'Content-Disposition: attachment; name="a"',
    "with a longer disposition": 'Content-Disposition: form-datax; name="a"',
    "with a disposition that only holds the right one": 'Content-Disposition: aaaaaaaaa; x="form-data;"; name="a"',
    "without a name": 'Content-Disposition: form-data; filename="a"',
    "with a parameter without a name": `${field}; =b`,
    "with two names": 'Content-Disposition: form-data; name="a"; name="b"',
    "with two file names": 'Content-Disposition: form-data; name="a"; filename="a"; FILENAME="b"',
    "with two dispositions": `${field}\r\n${field}`,
    "with an open quote": 'Content-Disposition: form-data; name="a',
    "with a quote too much": 'Content-Disposition: form-data; name="a"b"',
    "with parameters that are not separated": 'Content-Disposition: form-data; name="a" filename="b"',
    "with a file name in another encoding": `${field}; filename*=UTF-8''a.txt`,
    "with a NUL in a file name": `${field}; filename="a.php\0.jpg"`,
    "with a NUL in a name": fieldHeader("a\0"),
    "with a name that is not UTF-8": fieldHeader("\xff"),
    "with a line that is continued": `${field};\r\n filename="a"`,
    "with a line without a colon": `${field}\r\nnothing`,
    "with a line without a name": `${field}\r\n: nothing`,
    "with a blank before a colon": 'Content-Disposition : form-data; name="a"',
    "with a line feed in a line": `${field}\nX-Other: 1`,
    "in base64": `${field}\r\nContent-Transfer-Encoding: base64`,
    "in quoted-printable": `${field}\r\nContent-Transfer-Encoding: Quoted-Printable`,
    "that is a form itself": `${field}\r\nContent-Type: multipart/mixed; boundary=b`,
    "that is a form itself, in capitals": `${field}\r\nContent-Type: MULTIPART/MIXED; boundary=b`,
    "with a blank in the name of a header": `${field}\r\nX Other: 1`,
    "with a quote before the name of a header": `${field}\r\n"X: 1`,
    "with more than 16 header lines": [field, ...Array.from({ length: 16 }, (_, at) => `X-${at}: 1`)].join("\r\n"),
    "with a header of 9,000 bytes": fieldHeader("a".repeat(9000)),
  };
  for (const [name, header] of Object.entries(headers)) {
    test(`with a part ${name}`, async () => {
      const body = formOf([field, "1"], [header, "2"], [field, "3"]);
      assert.equal(await outcome(Buffer.from(body.toString(), "latin1")), malformed);
    });
  }

  test("completely: its earlier fields are not returned either", async () => {
    const request = requestOf([formOf([field, "1"], [field, "2"], ["nothing", "3"])]);
    assert.deepEqual(await request.fieldsBeforeFiles(), []);
    await assert.rejects(readAll(request), { code: malformed });
  });

  test("for headers over the limits, but not within them", async () => {
    const lines = [field, ...Array.from({ length: 15 }, (_, at) => `X-${at}: 1`)].join("\r\n");
    const long = `${field}\r\nX: ${"1".repeat(8192 - field.length - 5)}`;
    const types = ["Content-Transfer-Encoding: 7bit", "Content-Type: text/x-multipart/mixed"];
    for (const header of [lines, long, ...types.map((type) => `${field}\r\n${type}`)]) {
      assert.deepEqual(await outcome(formOf([header, "1"])), [{ name: "a", content: "1" }], header.slice(-50));
    }
    assert.equal(await outcome(formOf([`${long}1`, "1"])), malformed);
  });

  const types = [
    "text/plain",
    "multipart/form-data",
    "multipart/form-data; boundary",
    "multipart/form-data; boundary=",
    'multipart/form-data; boundary=""',
    `multipart/form-data; boundary=${boundary}; boundary=b`,
    `multipart/form-data; boundary=${"b".repeat(71)}`,
    'multipart/form-data; boundary="a "',
    'multipart/form-data; boundary="a\\b"',
    "multipart/form-data; boundary=a@b",
    `multipart/form-data, multipart/form-data; boundary=${boundary}`,
    `multipart/mixed; boundary=${boundary}`,
    `multipart/form-datax; boundary=${boundary}`,
    `${"a".repeat("multipart/form-data".length)}; x="multipart/form-data;"; boundary=${boundary}`,
  ];
  for (const type of types) {
    test(`that is ${type}`, async () => {
      assert.equal(await outcome(whole, {}, type), "E_CONTENT_TYPE");
    });
  }

  test("with a Content-Encoding, and if its body was already read", async () => {
    const coded = requestOf([Buffer.from(whole)], { headers: { "content-encoding": "gzip" } });
    await assert.rejects(readAll(coded), { code: "E_BODY_ENCODING", status: 415 });
    const read = requestOf([Buffer.from(whole)]);
    await readAll(read);
    await assert.rejects(readAll(read));
    await assert.rejects(read.bytes(), { code: "E_BODY_USED" });
  });

  test("is accepted with every valid boundary", async () => {
    for (const given of ["b", "b".repeat(70), "a'()+_,-./:=?z", "a b"]) {
      const body = whole.replaceAll(boundary, given);
      for (const type of [
        `multipart/form-data; boundary="${given}"`,
        `Multipart/Form-Data ;charset=utf-8;Boundary="${given}"`,
      ])
        assert.deepEqual(await outcome(body, {}, type), [{ name: "a", content: "1" }]);
    }
  });
});

describe("what the standards let senders add is ignored", () => {
  const one = [{ name: "a", content: "1" }];
  const delimiter = `--${boundary}\r\n`;
  const bodies: Readonly<Record<string, string>> = {
    "a preamble": `This is a form.\r\nIt has a line.\r\n${whole}`,
    "an empty line as a preamble": `\r\n${whole}`,
    "a preamble with a boundary within a line": `not --${boundary}\r\n${whole}`,
    "an epilogue": `${whole}This was a form.\r\n`,
    "an epilogue that looks like a form": whole + whole,
    "a last boundary without a line break": whole.slice(0, -2),
    "blanks behind a boundary": whole.replace(delimiter, `--${boundary} \t \r\n`),
    "8,190 blanks behind a boundary": whole.replace(delimiter, `--${boundary}${" ".repeat(8190)}\r\n`),
    "blanks behind the last boundary": `${whole.slice(0, -2)} \t\r\n`,
    "blanks at the end": `${whole.slice(0, -2)} \t`,
  };
  for (const [name, body] of Object.entries(bodies)) {
    test(`${name} (RFC 2046 §5.1.1), however the body is split`, async () => {
      assert.deepEqual(await outcome(body), one);
      const bytes = Array.from(Buffer.from(body), (byte) => Buffer.from([byte]));
      assert.deepEqual(await readAll(requestOf(bytes)), one);
    });
  }

  test("a preamble before a field and a file", async () => {
    const form = formOf([field, "1"], [fileHeader("f", "a.txt"), "2"]).toString();
    assert.equal(((await outcome(`preamble\r\n${form}`)) as readonly unknown[]).length, 2);
  });

  for (const parameters of [
    `name=f; filename=a.txt; filename*=utf-8''b.txt`,
    `name="f"; filename*=UTF-8''b.txt; filename="a.txt"`,
  ]) {
    test(`filename* beside filename (RFC 7578 §4.2): ${parameters}`, async () => {
      const body = formOf([`Content-Disposition: form-data; ${parameters}`, "1"]);
      assert.deepEqual(await outcome(body), [
        { name: "f", content: "1", filename: "a.txt", contentType: "application/octet-stream" },
      ]);
    });
  }

  test("within the limit of the fields", async () => {
    const limits = { maxFieldsBytes: 200 };
    const filler = "x".repeat(300);
    for (const body of [`${filler}\r\n${whole}`, `${whole}${filler}`]) {
      assert.equal(await outcome(body, limits), "E_FIELDS_TOO_LARGE");
    }
    assert.deepEqual(await outcome(`x\r\n${whole}y`, limits), one);
  });
});

describe("a limit holds", () => {
  const files = (count: number): [string, string][] =>
    Array.from({ length: count }, (_, at) => [fileHeader("f", `${at}`), "12345"]);
  const fields = (count: number): [string, string][] => Array.from({ length: count }, () => [field, "12345"]);

  const cases: readonly (readonly [string, readonly [string, string][], UploadLimits | undefined, string])[] = [
    ["files", files(11), undefined, "E_TOO_MANY_FILES"],
    ["files", files(1), { maxFiles: 0 }, "E_TOO_MANY_FILES"],
    ["fields", fields(1001), undefined, "E_TOO_MANY_PARAMETERS"],
    ["fields", fields(2), { maxFields: 1 }, "E_TOO_MANY_PARAMETERS"],
    ["files not chosen", fields(3).map(() => [fileHeader("f", ""), ""]), { maxFields: 2 }, "E_TOO_MANY_PARAMETERS"],
    ["a file", files(1), { maxFileBytes: 4 }, "E_FILE_TOO_LARGE"],
    ["a field", [[field, "x".repeat(1_048_577)]], undefined, "E_FIELDS_TOO_LARGE"],
    ["all fields", fields(12), { maxFieldsBytes: 500 }, "E_FIELDS_TOO_LARGE"],
    ["names of fields", [[fieldHeader("a".repeat(1000)), ""]], { maxFieldsBytes: 500 }, "E_FIELDS_TOO_LARGE"],
  ];
  for (const [name, parts, limits, code] of cases) {
    test(`for ${name}: ${code}, with ${JSON.stringify(limits)}`, async () => {
      assert.equal(await outcome(formOf(...parts), limits), code);
    });
  }

  test("and a form just within it is accepted", async () => {
    const parts = [...files(10), ...fields(1000)];
    const read = (await outcome(formOf(...parts), {
      maxFileBytes: 5,
      maxFieldsBytes: 1000 * (5 + field.length),
    })) as unknown[];
    assert.equal(read.length, 1010);
  });

  test("for fields, and names the form", async () => {
    const reading = readAll(requestOf([formOf(...fields(2))]), { maxFields: 1 });
    await assert.rejects(reading, { code: "E_TOO_MANY_PARAMETERS", message: /form/ });
  });

  test("for a file that is skipped, too", async () => {
    const request = requestOf([formOf(...files(1))]);
    await assert.rejects(
      async () => {
        for await (const _ of request.parts({ maxFileBytes: 4 }));
      },
      { code: "E_FILE_TOO_LARGE", status: 413 },
    );
  });

  test("for the whole body, whatever length it declares", async () => {
    const body = formOf(...files(5));
    await assert.rejects(readAll(requestOf([body], { bodyLimit: body.length - 1 })), { code: "E_BODY_TOO_LARGE" });
    const declared = { "content-length": String(body.length) };
    const untouched = { [Symbol.asyncIterator]: () => ({ next: () => assert.fail("the body was read") }) };
    const request = requestOf(untouched, { bodyLimit: 10, headers: declared });
    await assert.rejects(readAll(request), { code: "E_BODY_TOO_LARGE" });
    assert.equal((await readAll(requestOf([body], { bodyLimit: body.length }))).length, 5);
  });

  test("for the whole body, and reports the error to its reader if its first fields were read before", async () => {
    const body = formOf([field, "1"], ...files(5));
    const looked = async (bodyLimit: number): Promise<unknown[]> => {
      const request = requestOf([body], { bodyLimit });
      assert.deepEqual(await request.fieldsBeforeFiles(), [["a", "1"]]);
      return readAll(request);
    };
    assert.equal((await looked(body.length)).length, 6);
    await assert.rejects(looked(body.length - 1), { code: "E_BODY_TOO_LARGE" });
    async function* gone(): AsyncGenerator<Uint8Array> {
      yield body.subarray(0, 100);
      throw errors.E_CLIENT_GONE();
    }
    await assert.rejects(requestOf(gone()).fieldsBeforeFiles(), { code: "E_CLIENT_GONE" });
  });

  test("before more than one further chunk is read: a million parts, an endless header, preamble or epilogue", async () => {
    const endless = (start: string, again: string): [AsyncGenerator<Uint8Array>, () => number] => {
      let size = 0;
      async function* make(): AsyncGenerator<Uint8Array> {
        yield Buffer.from(start);
        for (;;) {
          size += again.length;
          yield Buffer.from(again);
        }
      }
      return [make(), () => size];
    };
    const part = `--${boundary}\r\n${field}\r\n\r\n\r\n`;
    for (const [start, again, most] of [
      ["", part.repeat(10), 1050 * part.length],
      [`--${boundary}\r\nX: `, "a".repeat(100), 8500],
      [`--${boundary}\r\n`, "X: 1\r\n", 8500],
      [`--${boundary}\r\n${field}\r\n\r\n`, "a".repeat(1000), 1_060_000],
      [whole, "a".repeat(1000), 1_060_000],
      ["", "a".repeat(1000), 1_060_000],
      [`--${boundary}`, " ".repeat(1000), 12_000],
    ] as const) {
      const [chunks, size] = endless(start, again);
      await assert.rejects(readAll(requestOf(chunks)));
      assert.ok(size() <= most, `${size()} bytes of ${JSON.stringify(again.slice(0, 50))}`);
    }
  });
});
