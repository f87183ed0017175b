import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { encodePath, parseQuery, parseTarget } from "./target.ts";
import { rounds } from "../../../test/rounds.ts";

const refused = (target: string): void => {
  assert.throws(() => parseTarget(target), { code: "E_TARGET_MALFORMED", status: 400 }, JSON.stringify(target));
};

describe("a request target", () => {
  const right: readonly (readonly [target: string, path: string, query: string])[] = [
    ["/", "/", ""],
    ["/?", "/", ""],
    ["/a", "/a", ""],
    ["/a/", "/a", ""],
    ["/a/?x=1", "/a", "x=1"],
    ["/a/b?x=1?y/../%20", "/a/b", "x=1?y/../%20"],
    ["/a%20b/%C3%BC", "/a b/ü", ""],
    ["/%61", "/a", ""],
    ["/%25", "/%", ""],
    ["/%252f", "/%2f", ""],
    ["/a;b=c/:d@e", "/a;b=c/:d@e", ""],
    ["/...", "/...", ""],
    ["/.a/a./..a", "/.a/a./..a", ""],
    ["/?\\", "/", "\\"],
    ["*", "*", ""],
    ["http://host", "/", ""],
    ["http://host?x=1", "/", "x=1"],
    ["HTTPS://host:80/a%20b/?c", "/a b", "c"],
  ];
  for (const [target, path, query] of right) {
    test(`${target} is the path ${path}${query === "" ? "" : ` and the query ${query}`}`, () => {
      assert.deepEqual(parseTarget(target), { path, query });
    });
  }

  test("that two parsers could read differently is refused", () => {
    const wrong = [
      "",
      "a",
      "a/b",
      "**",
      "?",
      "//",
      "//a",
      "/a//b",
      "/a//",
      "/.",
      "/..",
      "/./",
      "/../a",
      "/a/..",
      "/a/./b",
    ];
    const encoded = ["/%2e", "/%2E%2e/a", "/.%2e/", "/%2f", "/a%2Fb", "/%5c", "/%00", "/%1f", "/%7f", "/%0d%0a"];
    const broken = ["/%", "/%2", "/%zz", "/%ff", "/%c0%af", "/%ed%a0%80", "/%f4%90%80%80", "/?%", "/?a=%f", "/?%ff"];
    const raw = [
      "/ ",
      "/a b",
      "/\t",
      "/\0",
      "/\x7f",
      "/\x80",
      "/ü",
      "/日",
      "/#",
      "/a#b",
      "/?a#b",
      "/? ",
      "/?ü",
      "/\\",
      "/a\\b",
    ];
    const absolute = [
      "http:",
      "xhttp://host/",
      "http://",
      "http:///a",
      "ftp://host/",
      "http:/host",
      "host:80",
      "http://host/a//b",
      "http://host#a",
    ];
    for (const target of [...wrong, ...encoded, ...broken, ...raw, ...absolute]) refused(target);
  });

  test("is decoded once, as the reverse of encoding", () => {
    const character = fc.string({ unit: "grapheme", minLength: 1, maxLength: 3 });
    const segment = character.filter(
      (text) => text.isWellFormed() && !/[/\\\p{Cc}]/u.test(text) && !/^\.\.?$/.test(text),
    );
    fc.assert(
      fc.property(fc.array(segment), fc.boolean(), (segments, hasSlash) => {
        const path = `/${segments.join("/")}`;
        const target = encodePath(path) + (hasSlash && segments.length > 0 ? "/" : "");
        assert.deepEqual(parseTarget(target), { path, query: "" });
      }),
    );
  });

  test("gives an unambiguous path or an error", () => {
    const piece = fc.constantFrom(
      "/",
      "a",
      ".",
      "..",
      "%2e",
      "%2f",
      "%5c",
      "%25",
      "%00",
      "\\",
      "?",
      "#",
      "%",
      "é",
      "%C3%A9",
      ";",
      "//",
      " ",
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        let path: string;
        try {
          ({ path } = parseTarget(`/${pieces.join("")}`));
        } catch (error) {
          assert.equal((error as { code?: string }).code, "E_TARGET_MALFORMED");
          return;
        }
        assert.match(path, /^\/(?:[^/\\\0]+(?:\/[^/\\\0]+)*)?$/);
        assert.ok(!path.split("/").some((segment) => segment === "." || segment === ".."));
        assert.equal(parseTarget(encodePath(path)).path, path);
      }),
      { numRuns: rounds(2000) },
    );
  });
});

describe("a query", () => {
  test("is a list of pairs, in which a question mark belongs to the first name", () => {
    for (const [query, pairs] of [
      ["", []],
      [
        "a=1&b=%20&a=2",
        [
          ["a", "1"],
          ["b", " "],
          ["a", "2"],
        ],
      ],
      [
        "?a=1&b=2?",
        [
          ["?a", "1"],
          ["b", "2?"],
        ],
      ],
    ] as const)
      assert.deepEqual([...parseQuery(query, 3)], pairs);
    assert.equal(String(parseQuery("a&b", 2)), "a=&b=");
  });

  test("is refused with too many parameters, empty ones included", () => {
    for (const query of ["a&b&c&d", "&&&"])
      assert.throws(() => parseQuery(query, 3), { code: "E_TOO_MANY_PARAMETERS", message: /query/ });
    assert.equal(parseQuery("&&", 3).size, 0);
  });
});
