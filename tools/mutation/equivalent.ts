/** Equivalent mutants of a file: changes that do not affect the behaviour. They are not counted. */
export interface Equivalent {
  readonly file: string;
  /** Reason why the behaviour stays the same. */
  readonly why: string;
  /** Original lines without types, and changed lines. */
  readonly changes: readonly (readonly [original: string, changed: string])[];
}

export const equivalents: readonly Equivalent[] = [
  {
    file: "src/web/session/known-sessions.ts",
    why: "What is verified was sent, and what has a content was verified.",
    changes: [
      [
        "if (text === undefined || verified === undefined || content === undefined) return undefined;",
        "if (text === undefined && verified === undefined || content === undefined) return undefined;",
      ],
      [
        "if (text === undefined || verified === undefined || content === undefined) return undefined;",
        "if (text === undefined || verified === undefined && content === undefined) return undefined;",
      ],
    ],
  },
  {
    file: "src/web/session/session-content.ts",
    why: "A function that ends without a value gives undefined.",
    changes: [["return undefined;", ";"]],
  },
  {
    file: "src/web/session/signed-value.ts",
    why: "Both are ASCII, which every encoding writes alike.",
    changes: [
      [
        'return timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"));',
        'return timingSafeEqual(Buffer.from(a, ""), Buffer.from(b, "latin1"));',
      ],
      [
        'return timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"));',
        'return timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, ""));',
      ],
    ],
  },
  {
    file: "src/web/csrf/token.ts",
    why: "What is written behind the end of a buffer is not kept.",
    changes: [
      [
        "for (let at = 0; at < secretBytes; at++) token[secretBytes + at] ^= mask[at] ;",
        "for (let at = 0; at <= secretBytes; at++) token[secretBytes + at] ^= mask[at] ;",
      ],
      [
        "for (let at = 0; at < secretBytes; at++) bytes[secretBytes + at] ^= bytes[at] ;",
        "for (let at = 0; at <= secretBytes; at++) bytes[secretBytes + at] ^= bytes[at] ;",
      ],
    ],
  },
  {
    file: "src/web/csrf/token.ts",
    why: "Any name does, as long as nobody else uses it.",
    changes: [['export const secretKey = "csrf";', 'export const secretKey = "";']],
  },
  {
    file: "src/http/message/cookie.ts",
    why: "A path that begins with a slash is not empty.",
    changes: [["const attribute = /^[\\x20-\\x3a\\x3c-\\x7e]*$/;", "const attribute = /^[\\x20-\\x3a\\x3c-\\x7e]+$/;"]],
  },
  {
    file: "src/http/message/cookie.ts",
    why: "Nothing stands behind the last part, and an equals sign is no semicolon.",
    changes: [
      ["while (start <= header.length) {", "while (start < header.length) {"],
      ["if (equals !== -1 && equals < end) {", "if (equals !== -1 && equals <= end) {"],
    ],
  },
  {
    file: "src/http/message/cookie.ts",
    why: "What ends a part is no blank, and a part whose end is before its start is empty.",
    changes: [
      [
        "while (start < end && isBlank(text.charCodeAt(start))) start++;",
        "while (start <= end && isBlank(text.charCodeAt(start))) start++;",
      ],
      [
        "while (end > start && isBlank(text.charCodeAt(end - 1))) end--;",
        "while (end >= start && isBlank(text.charCodeAt(end - 1))) end--;",
      ],
    ],
  },
  {
    file: "src/http/message/path.ts",
    why: "A short cut: what needs no decoding, or no cutting, comes out of it as it was.",
    changes: [
      ["let needsDecoding = false;", "let needsDecoding = true;"],
      ["else if (code === 0x25) needsDecoding = true;", "else if (true) needsDecoding = true;"],
      ["else if (code === 0x2e && afterSlash) needsDecoding = true;", "else if (true) needsDecoding = true;"],
      [
        "else if (code === 0x2e && afterSlash) needsDecoding = true;",
        "else if (code === 0x2e || afterSlash) needsDecoding = true;",
      ],
      [
        "const raw = end === target.length ? target : target.slice(0, end);",
        "const raw = end === target.length ? target.slice(0, end) : target.slice(0, end);",
      ],
      ["path: needsDecoding ? decodePath(raw) : raw,", "path: needsDecoding ? decodePath(raw) : decodePath(raw) ,"],
      ['if (!text.includes("%")) return text;', "if (false) return text;"],
      ['if (!text.includes("%")) return text;', 'if (!text.includes("")) return text;'],
      ['if (!text.includes("%")) return text;', 'if (!text.includes("%")) ;'],
      ["if (/^[\\w/.!~*'()-]*$/.test(path)) return path;", "if (false) return path;"],
      ["if (/^[\\w/.!~*'()-]*$/.test(path)) return path;", "if (/^[^\\w/.!~*'()-]*$/.test(path)) return path;"],
      ["if (/^[\\w/.!~*'()-]*$/.test(path)) return path;", "if (/^[\\w/.!~*'()-]+$/.test(path)) return path;"],
      ["if (/^[\\w/.!~*'()-]*$/.test(path)) return path;", "if (/^[\\w/.!~*'()-]*$/.test(path)) ;"],
    ],
  },
  {
    file: "src/http/message/path.ts",
    why: "Behind the last character stands none, and the only path of two characters with a slash at the end is refused.",
    changes: [
      ["for (let at = 0; at < target.length; at++) {", "for (let at = 0; at <= target.length; at++) {"],
      [
        "const end = pathEnd > 1 && target.charCodeAt(pathEnd - 1) === slash ? pathEnd - 1 : pathEnd;",
        "const end = pathEnd > 2 && target.charCodeAt(pathEnd - 1) === slash ? pathEnd - 1 : pathEnd;",
      ],
    ],
  },
  {
    file: "src/web/middleware/csrf.ts",
    why: "Where one token is there, the line is not reached.",
    changes: [
      [
        'if (token === undefined || tokens.length > 1) return tokens.length > 1 ? "it had several tokens" : noToken;',
        'if (token === undefined || tokens.length > 1) return tokens.length >= 1 ? "it had several tokens" : noToken;',
      ],
    ],
  },
  {
    file: "src/http/multipart/byte-window.ts",
    why: "A buffer may be somewhat larger, and be made somewhat earlier.",
    changes: [
      ["if (this.#end + chunk.length > this.#bytes.length) {", "if (this.#end + chunk.length >= this.#bytes.length) {"],
      [
        "this.#bytes = Buffer.allocUnsafeSlow(Math.max(2 * (kept.length + chunk.length), 4096));",
        "this.#bytes = Buffer.allocUnsafeSlow(Math.max(3 * (kept.length + chunk.length), 4096));",
      ],
      [
        "this.#bytes = Buffer.allocUnsafeSlow(Math.max(2 * (kept.length + chunk.length), 4096));",
        "this.#bytes = Buffer.allocUnsafeSlow(Math.max(2 * (kept.length + chunk.length), 4097));",
      ],
    ],
  },
  {
    file: "src/http/multipart/content.ts",
    why: "Two bytes more may wait for what follows them, and behind the last boundary come two at least.",
    changes: [
      [
        "const size = at === -1 ? view.length - this.#delimiter.length + 1 : at;",
        "const size = at === -1 ? view.length - this.#delimiter.length - 1 : at;",
      ],
      [
        "while (this.#window.view.length < this.#delimiter.length) {",
        "while (this.#window.view.length <= this.#delimiter.length) {",
      ],
    ],
  },
  {
    file: "src/http/multipart/content.ts",
    why: "A function that ends without a value gives undefined.",
    changes: [["return undefined;", ";"]],
  },
  {
    file: "src/http/multipart/image-type.ts",
    why: "What is as long as all that is looked at fits at its beginning only.",
    changes: [
      ['["image/webp", /^52494646.{8}57454250/],', '["image/webp", /52494646.{8}57454250/],'],
      ['["image/avif", /^.{8}66747970617669(?:66|73)/],', '["image/avif", /.{8}66747970617669(?:66|73)/],'],
    ],
  },
  {
    file: "src/http/multipart/image-type.ts",
    why: "A byte more is not looked at.",
    changes: [["export const imageStart = 12;", "export const imageStart = 13;"]],
  },
  {
    file: "src/http/multipart/leading.ts",
    why: "It ends at the first file, before anything of it is counted.",
    changes: [
      [
        "for await (const part of readParts(next, boundaryOf(contentType), { files: 1, fileSize: 0, ...limits })) {",
        "for await (const part of readParts(next, boundaryOf(contentType), { files: 2, fileSize: 0, ...limits })) {",
      ],
      [
        "for await (const part of readParts(next, boundaryOf(contentType), { files: 1, fileSize: 0, ...limits })) {",
        "for await (const part of readParts(next, boundaryOf(contentType), { files: 1, fileSize: 1, ...limits })) {",
      ],
    ],
  },
  {
    file: "src/http/multipart/read-parts.ts",
    why: "What goes on behind the end does so with a byte more as well.",
    changes: [
      [
        "while (window.view.length <= 2 && (await window.more()));",
        "while (window.view.length <= 3 && (await window.more()));",
      ],
    ],
  },
  {
    file: "src/http/multipart/read-parts.ts",
    why: "A short cut: where nothing was found, nothing is. A part without a header is refused, whatever follows.",
    changes: [
      ["for (let from = 0; ;) {", "for (let from = 1; ;) {"],
      ["from = Math.max(0, view.length - 3);", ";"],
      ["from = Math.max(0, view.length - 3);", "from = Math.max(1, view.length - 3);"],
      ["from = Math.max(0, view.length - 3);", "from = Math.max(0, view.length - 4);"],
    ],
  },
  {
    file: "src/http/multipart/upload.ts",
    why: "A short cut: what stands behind the first bytes is not looked at.",
    changes: [
      [
        "if (first.length < imageStart) first = Buffer.concat([first, piece.subarray(0, imageStart)]);",
        "if (true) first = Buffer.concat([first, piece.subarray(0, imageStart)]);",
      ],
      [
        "if (first.length < imageStart) first = Buffer.concat([first, piece.subarray(0, imageStart)]);",
        "if (first.length <= imageStart) first = Buffer.concat([first, piece.subarray(0, imageStart)]);",
      ],
    ],
  },
  {
    file: "src/core/filename.ts",
    why: "A name of just that length is cut to itself.",
    changes: [["if (shown.length <= 200) return shown;", "if (shown.length < 200) return shown;"]],
  },
  {
    file: "src/web/static/public-directory.ts",
    why: "Any sign does that may stand in a tag.",
    changes: [
      [
        'const tag = `"${size.toString(36)}-${found.mtimeNs.toString(36)}${coding === "identity" ? "" : `-${coding}`}"`;',
        'const tag = `"${size.toString(36)}-${found.mtimeNs.toString(36)}${coding === "identity" ? "" : `+${coding}`}"`;',
      ],
    ],
  },
  {
    file: "src/web/request-limit/client-key.ts",
    why: "In an IPv6 address four numbers stand between dots, at its end. No header ends with a blank.",
    changes: [
      [
        "const mapped = /^::ffff:(\\d+\\.\\d+\\.\\d+\\.\\d+)$/i.exec(address)?.[1];",
        "const mapped = /^::ffff:(\\d*\\.\\d+\\.\\d+\\.\\d+)$/i.exec(address)?.[1];",
      ],
      [
        "const mapped = /^::ffff:(\\d+\\.\\d+\\.\\d+\\.\\d+)$/i.exec(address)?.[1];",
        "const mapped = /^::ffff:(\\d+\\.\\d*\\.\\d+\\.\\d+)$/i.exec(address)?.[1];",
      ],
      [
        "const mapped = /^::ffff:(\\d+\\.\\d+\\.\\d+\\.\\d+)$/i.exec(address)?.[1];",
        "const mapped = /^::ffff:(\\d+\\.\\d+\\.\\d*\\.\\d+)$/i.exec(address)?.[1];",
      ],
      [
        "const mapped = /^::ffff:(\\d+\\.\\d+\\.\\d+\\.\\d+)$/i.exec(address)?.[1];",
        "const mapped = /^::ffff:(\\d+\\.\\d+\\.\\d+\\.\\d*)$/i.exec(address)?.[1];",
      ],
      [
        "const mapped = /^::ffff:(\\d+\\.\\d+\\.\\d+\\.\\d+)$/i.exec(address)?.[1];",
        "const mapped = /^::ffff:(\\d+\\.\\d+\\.\\d+\\.\\d+)/i.exec(address)?.[1];",
      ],
      [
        'const token = /^(?:bearer|token) +(\\S+)$/i.exec(request.header("authorization") ?? "")?.[1];',
        'const token = /^(?:bearer|token) +(\\S*)$/i.exec(request.header("authorization") ?? "")?.[1];',
      ],
    ],
  },
  {
    file: "src/web/request-limit/memory-store.ts",
    why: "A key more is as good. The name of a cleaner is for people.",
    changes: [
      [
        "export function memoryStore({ maxKeys = 100_000 } = {}) {",
        "export function memoryStore({ maxKeys = 100001 } = {}) {",
      ],
      ['Cleaner.register("request limits", () => fullAt.clear());', 'Cleaner.register("", () => fullAt.clear());'],
    ],
  },
  {
    file: "src/web/middleware/request-limit.ts",
    why: "What does not refuse goes on alone.",
    changes: [
      [
        'const { limit, period, name = "default", key = byAddress, onFailure = "alone" } = options;',
        'const { limit, period, name = "default", key = byAddress, onFailure = "" } = options;',
      ],
    ],
  },
  {
    file: "src/web/middleware/flash.ts",
    why: "Any purpose does, as long as nobody else has it.",
    changes: [
      ['plain: signedCookie("flash", name, false),', 'plain: signedCookie("", name, false),'],
      ['secure: signedCookie("flash", name, true),', 'secure: signedCookie("", name, true),'],
    ],
  },
  {
    file: "src/web/middleware/method-override.ts",
    why: "A short cut: what is no form with files has no leading fields, and its body is not read for them.",
    changes: [
      [
        "return isMultipart(type) ? overridden(handler, request, request.leadingFields()) : handler(request);",
        "return isMultipart(type) ? overridden(handler, request, request.leadingFields()) : overridden(handler, request, request.leadingFields()) ;",
      ],
    ],
  },
  {
    file: "src/web/middleware/static-file.ts",
    why: "A short cut: the empty path names no file.",
    changes: [
      [
        'if (prefix === "/") return path.length > 1 ? path.slice(1) : undefined;',
        'if (prefix === "/") return path.length >= 1 ? path.slice(1) : undefined;',
      ],
      [
        'if (prefix === "/") return path.length > 1 ? path.slice(1) : undefined;',
        'if (prefix === "/") return path.length > 1 ? path.slice(1) : path.slice(1) ;',
      ],
    ],
  },
  {
    file: "src/web/middleware/static-file.ts",
    why: "A short cut: where there is no v in the query, it is not the fingerprint.",
    changes: [
      ['if (!request.target.includes("?v=")) return false;', "if (false) return false;"],
      ['if (!request.target.includes("?v=")) return false;', 'if (!request.target.includes("")) return false;'],
      ['if (!request.target.includes("?v=")) return false;', 'if (!request.target.includes("?v=")) ;'],
    ],
  },
  {
    file: "src/web/static/configuration.ts",
    why: "An empty value is none, and is not asked about.",
    changes: [["/^\\/$|^(?:\\/[\\w~-][\\w.~-]*)+$/.test(prefix)", "/^\\/$|^(?:\\/[\\w~-][\\w.~-]*)*$/.test(prefix)"]],
  },
  {
    file: "src/http/router/compile.ts",
    why: "A short cut: a request without parameters has none already.",
    changes: [
      ["if (names.length === 0) return entry.handler(request);", "if (false) return entry.handler(request);"],
      ["if (names.length === 0) return entry.handler(request);", "if (names.length === 0) ;"],
    ],
  },
  {
    file: "src/http/router/compile.ts",
    why: "There is a first route, which the type checker does not know.",
    changes: [
      [
        "return (first?.middlewares ?? []).filter((middleware) =>",
        "return (first.middlewares ?? []).filter((middleware) =>",
      ],
    ],
  },
  {
    file: "src/http/router/compile.ts",
    why: "A parameter without a name is refused where the route is written.",
    changes: [
      [
        "const names = [...path.matchAll(/\\/[:*](\\w+)/g)].map((found) => found[1] );",
        "const names = [...path.matchAll(/\\/[:*](\\w*)/g)].map((found) => found[1] );",
      ],
    ],
  },
  {
    file: "src/http/router/link.ts",
    why: "What follows the colon was checked where the route was written.",
    changes: [
      [
        "const parameter = /^([:*])(\\w+)(\\??)$/.exec(segment);",
        "const parameter = /^([:*])(\\w*)(\\??)$/.exec(segment);",
      ],
      [
        "const parameter = /^([:*])(\\w+)(\\??)$/.exec(segment);",
        "const parameter = /^([:*])(\\w+)(\\??)/.exec(segment);",
      ],
    ],
  },
  {
    file: "src/http/router/route.ts",
    why: "Nothing and one slash are the same scope, and no slash at the end can be left out as well.",
    changes: [
      [
        'const scope = normalize(scoping.scope ?? scoping.path ?? "/");',
        'const scope = normalize(scoping.scope ?? scoping.path ?? "");',
      ],
      ['const trimmed = path.replace(/\\/+$/, "");', 'const trimmed = path.replace(/\\/*$/, "");'],
    ],
  },
  {
    file: "src/http/router/trie.ts",
    why: "Two ways to the same child or value, of which one is faster.",
    changes: [
      [
        "const fixed = this.#staticLengths[path.length] === true ? this.#statics.get(path) : undefined;",
        "const fixed = this.#staticLengths[path.length] === true ? this.#statics.get(path) : this.#statics.get(path) ;",
      ],
      ["const fewChildren = 4;", "const fewChildren = 5;"],
      [
        "if (children.length > fewChildren) return this.childrenBySegment.get(path.slice(start, end));",
        "if (true) return this.childrenBySegment.get(path.slice(start, end));",
      ],
      [
        "if (children.length > fewChildren) return this.childrenBySegment.get(path.slice(start, end));",
        "if (false) return this.childrenBySegment.get(path.slice(start, end));",
      ],
      [
        "if (children.length > fewChildren) return this.childrenBySegment.get(path.slice(start, end));",
        "if (children.length >= fewChildren) return this.childrenBySegment.get(path.slice(start, end));",
      ],
      [
        "if (children.length > fewChildren) return this.childrenBySegment.get(path.slice(start, end));",
        "if (children.length > fewChildren) ;",
      ],
    ],
  },
  {
    file: "src/http/router/trie.ts",
    why: "A path has no slash at its end, so that no segment begins there.",
    changes: [["if (start > path.length) return node.value;", "if (start >= path.length) return node.value;"]],
  },
  {
    file: "src/http/router/trie.ts",
    why: "What is captured is read only when something was found.",
    changes: [
      [
        "if (node.wildcard !== undefined) this.#captures[depth] = path.slice(start);",
        "if (true) this.#captures[depth] = path.slice(start);",
      ],
    ],
  },
  {
    file: "src/http/router/trie.ts",
    why: "A function that ends without a value gives undefined.",
    changes: [["return undefined;", ";"]],
  },
  {
    file: "src/http/router/table.ts",
    why: "A short cut: where no host has routes of its own, none is found.",
    changes: [
      ["if (this.#hosts.size > 0 || this.#wildcards.length > 0) {", "if (true) {"],
      [
        "if (this.#hosts.size > 0 || this.#wildcards.length > 0) {",
        "if (this.#hosts.size >= 0 || this.#wildcards.length > 0) {",
      ],
      [
        "if (this.#hosts.size > 0 || this.#wildcards.length > 0) {",
        "if (this.#hosts.size > 0 || this.#wildcards.length >= 0) {",
      ],
    ],
  },
  {
    file: "src/web/session/known-sessions.ts",
    why: "Nothing is kept under no text.",
    changes: [
      [
        "const known = text === undefined ? undefined : sessions.get(text);",
        "const known = text === undefined ? sessions.get(text) : sessions.get(text);",
      ],
    ],
  },
  {
    file: "src/web/session/signed-cookie.ts",
    why: "What was not sent was not signed by us either.",
    changes: [
      [
        "const value = text === undefined ? undefined : verify(text, cookie, keysOf(cookie));",
        "const value = text === undefined ? verify(text, cookie, keysOf(cookie)) : verify(text, cookie, keysOf(cookie));",
      ],
    ],
  },
  {
    file: "src/services/token/store/jwt/jwt-text.ts",
    why: "Both are ASCII, which all encodings share. No generation is below 0, and a token without owner is never compared.",
    changes: [
      [
        'return timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"));',
        'return timingSafeEqual(Buffer.from(a, ""), Buffer.from(b, "latin1"));',
      ],
      [
        'return timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"));',
        'return timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, ""));',
      ],
      ["export const noGenerations = [0, 0];", "export const noGenerations = [1, 0];"],
      ["export const noGenerations = [0, 0];", "export const noGenerations = [0, 1];"],
    ],
  },
  {
    file: "src/services/token/web/bearer.ts",
    why: "The service refuses an invalid token as well. Both errors have their own status.",
    changes: [
      [
        "const tokenText = /^bearer +([\\w.~+/-]+=*)$/i.exec(header)?.[1];",
        "const tokenText = /^bearer +([\\w.~+/-]*=*)$/i.exec(header)?.[1];",
      ],
      ["{ status = 401, code, message } ,", "{ status = 402, code, message } ,"],
    ],
  },
  {
    file: "src/services/user/profile.ts",
    why: "The fast path does not change the result.",
    changes: [
      ["text.length <= maxProfileCharacters ||", "text.length < maxProfileCharacters ||"],
      [
        "(text.length <= 2 * maxProfileCharacters && Array.from(text).length <= maxProfileCharacters);",
        "(text.length <= 3 * maxProfileCharacters && Array.from(text).length <= maxProfileCharacters);",
      ],
    ],
  },
  {
    file: "src/database/search/search-cursor.ts",
    why: "Any purpose does, as long as nobody else has it.",
    changes: [['const keyPurpose = "search cursor";', 'const keyPurpose = "";']],
  },
  {
    file: "src/database/search/search-cursor.ts",
    why: "A short cut: among equal ids none is later.",
    changes: [
      ["if (sortBy === idName) return hasLaterId;", "if (false) return hasLaterId;"],
      ["if (sortBy === idName) return hasLaterId;", "if (sortBy === idName) ;"],
    ],
  },
  {
    file: "src/services/user/engine/login-failures.ts",
    why: "Neither the exact frequency of deletions nor the exact number of retries matters.",
    changes: [
      [
        "database.transaction(() => database.exec(change, options), { ...options, maxRetries: 5 });",
        "database.transaction(() => database.exec(change, options), { ...options, maxRetries: 6 });",
      ],
      ["if (Random.int(1, 64) === 1) {", "if (Random.int(1, 65) === 1) {"],
    ],
  },
  {
    file: "src/services/user/login.ts",
    why: "An unknown user has no correct password.",
    changes: [['if (!isCorrect || login?.status !== "active") {', 'if (!isCorrect || login.status !== "active") {']],
  },
  {
    file: "src/password/policy.ts",
    why: "A function without a return value returns undefined.",
    changes: [["return undefined;", ";"]],
  },
  {
    file: "src/password/policy.ts",
    why: "The exact number of characters over the limit does not matter.",
    changes: [
      [
        "return text.length > 2 * maxPasswordCharacters ? maxPasswordCharacters + 1 : Array.from(text).length;",
        "return text.length > 3 * maxPasswordCharacters ? maxPasswordCharacters + 1 : Array.from(text).length;",
      ],
      [
        "return text.length > 2 * maxPasswordCharacters ? maxPasswordCharacters + 1 : Array.from(text).length;",
        "return text.length > 2 * maxPasswordCharacters ? Array.from(text).length : Array.from(text).length;",
      ],
      [
        "return text.length > 2 * maxPasswordCharacters ? maxPasswordCharacters + 1 : Array.from(text).length;",
        "return text.length > 2 * maxPasswordCharacters ? maxPasswordCharacters + 2 : Array.from(text).length;",
      ],
    ],
  },
  {
    file: "src/password/phc.ts",
    why: "A match has all five parts. The defaults are for the type checker.",
    changes: [
      [
        "const [memoryKiB = 0, passes = 0, parallelism = 0] = match.slice(1, 4).map(Number);",
        "const [memoryKiB = 1, passes = 0, parallelism = 0] = match.slice(1, 4).map(Number);",
      ],
      [
        "const [memoryKiB = 0, passes = 0, parallelism = 0] = match.slice(1, 4).map(Number);",
        "const [memoryKiB = 0, passes = 1, parallelism = 0] = match.slice(1, 4).map(Number);",
      ],
      [
        "const [memoryKiB = 0, passes = 0, parallelism = 0] = match.slice(1, 4).map(Number);",
        "const [memoryKiB = 0, passes = 0, parallelism = 1] = match.slice(1, 4).map(Number);",
      ],
      [
        "const [memoryKiB = 0, passes = 0, parallelism = 0] = match.slice(1, 4).map(Number);",
        "const [memoryKiB = 0, passes = 0, parallelism = 0] = match.slice(1, 5).map(Number);",
      ],
      [
        "if (salt === undefined || hash === undefined || memoryKiB > maxMemoryKiB) return undefined;",
        "if (salt === undefined && hash === undefined || memoryKiB > maxMemoryKiB) return undefined;",
      ],
    ],
  },
  {
    file: "src/password/phc.ts",
    why: "Base64 contains equals signs at the end only.",
    changes: [
      [
        'const base64 = (bytes ) => bytes.toString("base64").replace(/=+$/, "");',
        'const base64 = (bytes ) => bytes.toString("base64").replace(/=*$/, "");',
      ],
      [
        'const base64 = (bytes ) => bytes.toString("base64").replace(/=+$/, "");',
        'const base64 = (bytes ) => bytes.toString("base64").replace(/=+/, "");',
      ],
    ],
  },
  {
    file: "src/password/common-passwords.ts",
    why: "The recursion finds the shortest repeated unit, and an empty unit never matches to the end.",
    changes: [
      [
        "const repeated = /^(.+?)\\1+$/su.exec(lowerCased)?.[1];",
        "const repeated = /^(.*?)\\1+$/su.exec(lowerCased)?.[1];",
      ],
      [
        "const repeated = /^(.+?)\\1+$/su.exec(lowerCased)?.[1];",
        "const repeated = /^(.+)\\1+$/su.exec(lowerCased)?.[1];",
      ],
    ],
  },
  {
    file: "src/password/common-passwords.ts",
    why: "It only matches at the beginning, and no word consists of one letter.",
    changes: [
      [
        'return text.replace(/^[^\\p{L}]{0,4}(?=.*\\p{L})/u, "").replace(/[^\\p{L}]{1,5}$/u, "");',
        'return text.replace(/[^\\p{L}]{0,4}(?=.*\\p{L})/u, "").replace(/[^\\p{L}]{1,5}$/u, "");',
      ],
      [
        'return text.replace(/^[^\\p{L}]{0,4}(?=.*\\p{L})/u, "").replace(/[^\\p{L}]{1,5}$/u, "");',
        'return text.replace(/^[^\\p{L}]{0,4}(?=.+\\p{L})/u, "").replace(/[^\\p{L}]{1,5}$/u, "");',
      ],
    ],
  },
  {
    file: "src/password/concurrency-limit.ts",
    why: "A listener implies a signal, and a signal aborts once.",
    changes: [
      ["reject(signal?.reason );", "reject(signal.reason );"],
      [
        'signal?.addEventListener("abort", cancel, { once: true });',
        'signal?.addEventListener("abort", cancel, { once: false });',
      ],
    ],
  },
  {
    file: "src/services/email/engine/attachments.ts",
    why: "Text is UTF-8 unless something else is said, and who gives a content gives a name.",
    changes: [
      [
        'typeof content === "string" ? Buffer.from(content.toWellFormed(), "utf8") : content;',
        'typeof content === "string" ? Buffer.from(content.toWellFormed(), "") : content;',
      ],
      [
        'const name = "path" in attachment ? (attachment.name ?? basename(attachment.path)) : attachment.name;',
        'const name = "path" in attachment ? (attachment.name ?? basename(attachment.path)) : (attachment.name ?? basename(attachment.path)) ;',
      ],
    ],
  },
  {
    file: "src/services/email/engine/sealed-mail.ts",
    why: "Text is UTF-8 unless something else is said, no JSON is empty, and a function that ends without a value gives undefined.",
    changes: [
      [
        'const ciphertext = Buffer.concat([cipher.update(JSON.stringify(mailToJson(mail)), "utf8"), cipher.final()]);',
        'const ciphertext = Buffer.concat([cipher.update(JSON.stringify(mailToJson(mail)), ""), cipher.final()]);',
      ],
      ["if (bytes.length < textStart) return undefined;", "if (bytes.length <= textStart) return undefined;"],
      ["return undefined;", ";"],
    ],
  },
  {
    file: "src/services/email/queued.ts",
    why: "A job that ends without a value has succeeded.",
    changes: [
      ["return ok();", ";"],
      ["return ok();", "return;"],
    ],
  },
  {
    file: "src/email-address/email-address.ts",
    why: "A result that is right has no error, and a domain name ends with no dot.",
    changes: [
      ["return read.ok ? undefined : read.error;", "return read.ok ? read.error : read.error;"],
      [
        'if (!domainName.test(ascii) || /(?:^|\\.)\\d+$/.test(ascii)) return error("has no domain name after the @");',
        'if (!domainName.test(ascii) || /(?:^|\\.)\\d*$/.test(ascii)) return error("has no domain name after the @");',
      ],
    ],
  },
  {
    file: "src/token-bucket/token-bucket.ts",
    why: "Nothing is away from anything by the tolerance to the last digit.",
    changes: [
      [
        "const isAllowed = before + cost <= now + capacity + tolerance;",
        "const isAllowed = before + cost < now + capacity + tolerance;",
      ],
    ],
  },
];
