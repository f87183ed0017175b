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
    file: "src/web/session/verified-sessions.ts",
    why: "A verified value implies a cookie, and a content implies a verified value.",
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
    why: "A function without a return value returns undefined.",
    changes: [["return undefined;", ";"]],
  },
  {
    file: "src/web/csrf/token.ts",
    why: "A write after the end of a buffer has no effect.",
    changes: [
      [
        "for (let index = 0; index < secretBytes; index++) token[secretBytes + index] ^= mask[index] ;",
        "for (let index = 0; index <= secretBytes; index++) token[secretBytes + index] ^= mask[index] ;",
      ],
      [
        "for (let index = 0; index < secretBytes; index++) bytes[secretBytes + index] ^= bytes[index] ;",
        "for (let index = 0; index <= secretBytes; index++) bytes[secretBytes + index] ^= bytes[index] ;",
      ],
    ],
  },
  {
    file: "src/web/csrf/token.ts",
    why: "Any other unique name works.",
    changes: [['export const csrfSecretKey = "csrf";', 'export const csrfSecretKey = "";']],
  },
  {
    file: "src/http/message/cookie.ts",
    why: "Nothing follows the last part, and an equals sign is not a semicolon.",
    changes: [
      ["while (equals !== -1 && start <= header.length) {", "while (equals !== -1 && start < header.length) {"],
      ["if (equals < end) {", "if (equals <= end) {"],
    ],
  },
  {
    file: "src/http/message/cookie.ts",
    why: "A path that begins with a slash is not empty.",
    changes: [["const attribute = /^[\\x20-\\x3a\\x3c-\\x7e]*$/;", "const attribute = /^[\\x20-\\x3a\\x3c-\\x7e]+$/;"]],
  },
  {
    file: "src/http/message/cookie.ts",
    why: "The character after a part is not a blank, and a part that ends before its start is empty.",
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
    file: "src/http/message/target.ts",
    why: "Fast path: decoding and slicing return such a value unchanged.",
    changes: [
      ["let needsDecoding = false;", "let needsDecoding = true;"],
      ["else if (code === 0x25) needsDecoding = true;", "else if (true) needsDecoding = true;"],
      ["else if (code === 0x2e && isAfterSlash) needsDecoding = true;", "else if (true) needsDecoding = true;"],
      [
        "else if (code === 0x2e && isAfterSlash) needsDecoding = true;",
        "else if (code === 0x2e || isAfterSlash) needsDecoding = true;",
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
    file: "src/http/message/target.ts",
    why: "No character follows the last one, and the only path of two characters that ends with a slash is refused.",
    changes: [
      [
        "for (let index = 0; index < target.length; index++) {",
        "for (let index = 0; index <= target.length; index++) {",
      ],
      [
        "const end = pathEnd > 1 && target.charCodeAt(pathEnd - 1) === slash ? pathEnd - 1 : pathEnd;",
        "const end = pathEnd > 2 && target.charCodeAt(pathEnd - 1) === slash ? pathEnd - 1 : pathEnd;",
      ],
    ],
  },
  {
    file: "src/web/middleware/csrf.ts",
    why: "The line is not reached with exactly one token.",
    changes: [
      [
        'return tokens.length > 1 ? "it had several tokens" : missingTokenProblem;',
        'return tokens.length >= 1 ? "it had several tokens" : missingTokenProblem;',
      ],
    ],
  },
  {
    file: "src/http/multipart/buffered-reader.ts",
    why: "The exact size of the buffer and the exact time of its growth do not matter.",
    changes: [
      ["if (this.#end + chunk.length > this.#bytes.length) {", "if (this.#end + chunk.length >= this.#bytes.length) {"],
      [
        "this.#bytes = Buffer.allocUnsafeSlow(Math.max(2 * (remaining.length + chunk.length), 4096));",
        "this.#bytes = Buffer.allocUnsafeSlow(Math.max(3 * (remaining.length + chunk.length), 4096));",
      ],
      [
        "this.#bytes = Buffer.allocUnsafeSlow(Math.max(2 * (remaining.length + chunk.length), 4096));",
        "this.#bytes = Buffer.allocUnsafeSlow(Math.max(2 * (remaining.length + chunk.length), 4097));",
      ],
    ],
  },
  {
    file: "src/http/multipart/part-content.ts",
    why: "Up to two more bytes may stay buffered, and at least two bytes follow the last boundary.",
    changes: [
      [
        "const size = index === -1 ? buffered.length - this.#delimiter.length + 1 : index;",
        "const size = index === -1 ? buffered.length - this.#delimiter.length - 1 : index;",
      ],
      [
        "while (this.#reader.buffered.length < this.#delimiter.length) {",
        "while (this.#reader.buffered.length <= this.#delimiter.length) {",
      ],
    ],
  },
  {
    file: "src/http/multipart/part-content.ts",
    why: "A function without a return value returns undefined.",
    changes: [["return undefined;", ";"]],
  },
  {
    file: "src/http/multipart/upload.ts",
    why: "A pattern as long as the whole input only matches at its beginning.",
    changes: [
      ['["image/webp", /^52494646.{8}57454250/],', '["image/webp", /52494646.{8}57454250/],'],
      ['["image/avif", /^.{8}66747970617669(?:66|73)/],', '["image/avif", /.{8}66747970617669(?:66|73)/],'],
    ],
  },
  {
    file: "src/http/multipart/upload.ts",
    why: "The additional byte is not read.",
    changes: [["const signatureBytes = 12;", "const signatureBytes = 13;"]],
  },
  {
    file: "src/http/multipart/fields-before-files.ts",
    why: "Reading ends at the first file, before its bytes are counted.",
    changes: [
      [
        "for await (const part of readParts(next, parseBoundary(contentType), { maxFiles: 1, maxFileBytes: 0, ...limits })) {",
        "for await (const part of readParts(next, parseBoundary(contentType), { maxFiles: 2, maxFileBytes: 0, ...limits })) {",
      ],
      [
        "for await (const part of readParts(next, parseBoundary(contentType), { maxFiles: 1, maxFileBytes: 0, ...limits })) {",
        "for await (const part of readParts(next, parseBoundary(contentType), { maxFiles: 1, maxFileBytes: 1, ...limits })) {",
      ],
    ],
  },
  {
    file: "src/http/multipart/parts.ts",
    why: "Optimization: an earlier search found nothing in these bytes. A part without a header is refused in any case.",
    changes: [
      ["for (let from = 0; ;) {", "for (let from = 1; ;) {"],
      ["from = Math.max(0, buffered.length - 3);", ";"],
      ["from = Math.max(0, buffered.length - 3);", "from = Math.max(1, buffered.length - 3);"],
      ["from = Math.max(0, buffered.length - 3);", "from = Math.max(0, buffered.length - 4);"],
    ],
  },
  {
    file: "src/http/multipart/parts.ts",
    why: "A line that is as long as the limit is refused with one more byte, unless the body ends.",
    changes: [
      [
        "while (end === -1 && reader.buffered.length <= maxPartHeaderBytes && (await reader.fill())) {",
        "while (end === -1 && reader.buffered.length < maxPartHeaderBytes && (await reader.fill())) {",
      ],
    ],
  },
  {
    file: "src/http/multipart/upload.ts",
    why: "Fast path: bytes after the first ones are not read.",
    changes: [
      [
        "if (firstBytes.length < signatureBytes) firstBytes = Buffer.concat([firstBytes, chunk.subarray(0, signatureBytes)]);",
        "if (true) firstBytes = Buffer.concat([firstBytes, chunk.subarray(0, signatureBytes)]);",
      ],
      [
        "if (firstBytes.length < signatureBytes) firstBytes = Buffer.concat([firstBytes, chunk.subarray(0, signatureBytes)]);",
        "if (firstBytes.length <= signatureBytes) firstBytes = Buffer.concat([firstBytes, chunk.subarray(0, signatureBytes)]);",
      ],
    ],
  },
  {
    file: "src/core/filename.ts",
    why: "Truncating a name of exactly this length does not change it.",
    changes: [["if (name.length <= 200) return name;", "if (name.length < 200) return name;"]],
  },
  {
    file: "src/web/request-limit/client-key.ts",
    why: "A valid IPv6 address contains dots only between four numbers at its end. A header value does not end with a blank.",
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
    why: "The exact number of keys does not matter. The name of a cleaner is only displayed.",
    changes: [
      [
        "export function memoryStore({ maxKeys = 100_000 } = {}) {",
        "export function memoryStore({ maxKeys = 100001 } = {}) {",
      ],
      [
        'Cleaner.register("request limits", () => fullAtByKey.clear());',
        'Cleaner.register("", () => fullAtByKey.clear());',
      ],
    ],
  },
  {
    file: "src/web/middleware/request-limit.ts",
    why: 'Every value except "refuse" means "alone".',
    changes: [
      [
        'const { limit, periodMs, name = "default", key = byAddress, onFailure = "local" } = options;',
        'const { limit, periodMs, name = "default", key = byAddress, onFailure = "" } = options;',
      ],
    ],
  },
  {
    file: "src/web/middleware/flash.ts",
    why: "Any other unique purpose works.",
    changes: [
      ['plain: signedCookie("flash", name, false),', 'plain: signedCookie("", name, false),'],
      ['secure: signedCookie("flash", name, true),', 'secure: signedCookie("", name, true),'],
    ],
  },
  {
    file: "src/web/middleware/method-override.ts",
    why: "Fast path: a request that is not multipart has no leading fields, and its body is not read for them.",
    changes: [
      [
        "return isMultipart(type) ? overrideMethod(handler, request, request.fieldsBeforeFiles()) : handler(request);",
        "return isMultipart(type) ? overrideMethod(handler, request, request.fieldsBeforeFiles()) : overrideMethod(handler, request, request.fieldsBeforeFiles()) ;",
      ],
    ],
  },
  {
    file: "src/web/middleware/static-file.ts",
    why: "Fast path: the empty path names no file.",
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
    why: "Fast path: a query without `v` cannot contain the fingerprint.",
    changes: [
      ['if (!request.target.includes("?v=")) return false;', "if (false) return false;"],
      ['if (!request.target.includes("?v=")) return false;', 'if (!request.target.includes("")) return false;'],
      ['if (!request.target.includes("?v=")) return false;', 'if (!request.target.includes("?v=")) ;'],
    ],
  },
  {
    file: "src/web/middleware/static-file.ts",
    why: "The target of a file is longer than one slash.",
    changes: [
      [
        "const hasTrailingSlash = ({ target } ) => /^[^?]*\\/(?:\\?|$)/.test(target);",
        "const hasTrailingSlash = ({ target } ) => /^[^?]+\\/(?:\\?|$)/.test(target);",
      ],
    ],
  },
  {
    file: "src/web/static/configuration.ts",
    why: "An empty value counts as absent and is not validated.",
    changes: [["/^\\/$|^(?:\\/[\\w~-][\\w.~-]*)+$/.test(prefix)", "/^\\/$|^(?:\\/[\\w~-][\\w.~-]*)*$/.test(prefix)"]],
  },
  {
    file: "src/http/router/compile.ts",
    why: "Fast path: a request starts without parameters.",
    changes: [
      ["if (parameterNames.length === 0) return handler(request);", "if (false) return handler(request);"],
      ["if (parameterNames.length === 0) return handler(request);", "if (parameterNames.length === 0) ;"],
    ],
  },
  {
    file: "src/http/router/compile.ts",
    why: "Fast path: a route without typed parameters needs no check.",
    changes: [
      ['if (parameters.every(({ type }) => type === "text")) return handler;', "if (false) return handler;"],
      [
        'if (parameters.every(({ type }) => type === "text")) return handler;',
        'if (parameters.every(({ type }) => type === "text")) ;',
      ],
    ],
  },
  {
    file: "src/http/router/compile.ts",
    why: "A first route always exists. The fallback is for the type checker.",
    changes: [
      [
        "return (first?.middlewares ?? []).filter((middleware) =>",
        "return (first.middlewares ?? []).filter((middleware) =>",
      ],
    ],
  },
  {
    file: "src/http/router/compile.ts",
    why: "A list is not empty after a push, and a placeholder that comes first answers the request itself.",
    changes: [
      [
        "table.match(request, (node) => matched.push(node) > 0 && node.isPlaceholder);",
        "table.match(request, (node) => matched.push(node) >= 0 && node.isPlaceholder);",
      ],
      [
        "table.match(request, (node) => matched.push(node) > 0 && node.isPlaceholder);",
        "table.match(request, (node) => matched.push(node) > 1 && node.isPlaceholder);",
      ],
    ],
  },
  {
    file: "src/http/router/compile.ts",
    why: "Fast path: `handleOtherMethod` also runs the endpoint of the first match, and a request without typed parameters is passed on as it is.",
    changes: [
      [
        "return endpoint === undefined ? handleOtherMethod(request) : run(request, endpoint, match.captures);",
        "return endpoint === undefined ? handleOtherMethod(request) : handleOtherMethod(request) ;",
      ],
      [
        'if (parameters.every(({ type }) => type === "text")) return handler;',
        "if (parameters.every(({ type }) => undefined)) return handler;",
      ],
      [
        'if (parameters.every(({ type }) => type === "text")) return handler;',
        'if (parameters.every(({ type }) => type === "")) return handler;',
      ],
    ],
  },
  {
    file: "src/http/router/compile.ts",
    why: "A path with a placeholder only is 404, so its format is not read.",
    changes: [
      [
        "const newNode = () => ({ routes: new Map(), endpoints: new Map(), isPlaceholder: true, prefersJson: false });",
        "const newNode = () => ({ routes: new Map(), endpoints: new Map(), isPlaceholder: true, prefersJson: true });",
      ],
    ],
  },
  {
    file: "src/http/router/compile.ts",
    why: "A first route, and the endpoint of a method that was found, always exist. The checks are for the type checker.",
    changes: [
      [
        'node.endpoints.set("OPTIONS", { handler, parameterNames: [], pattern: routes[0]?.pattern });',
        'node.endpoints.set("OPTIONS", { handler, parameterNames: [], pattern: routes[0].pattern });',
      ],
      [
        "nodes.find(({ endpoints }) => endpoints.has(method))?.endpoints.get(method)?.pattern !== undefined;",
        "nodes.find(({ endpoints }) => endpoints.has(method))?.endpoints.get(method).pattern !== undefined;",
      ],
    ],
  },
  {
    file: "src/http/router/compile.ts",
    why: "A parameter has a name.",
    changes: [
      ['const shape = path.replaceAll(/\\/:[^/]+/g, "/:");', 'const shape = path.replaceAll(/\\/:[^/]*/g, "/:");'],
    ],
  },
  {
    file: "src/http/router/route.ts",
    why: "The empty path and one slash are the same scope, and removing zero slashes has no effect.",
    changes: [
      [
        'const scope = normalizePath(scopeOptions.scope ?? scopeOptions.path ?? "/");',
        'const scope = normalizePath(scopeOptions.scope ?? scopeOptions.path ?? "");',
      ],
      ['const trimmed = path.replace(/\\/+$/, "");', 'const trimmed = path.replace(/\\/*$/, "");'],
    ],
  },
  {
    file: "src/http/router/route.ts",
    why: "The format of a placeholder is not read.",
    changes: [["prefersJson: false,", "prefersJson: true,"]],
  },
  {
    file: "src/http/router/route-table.ts",
    why: "Both branches return the same child or value; one is faster.",
    changes: [
      [
        "const value = this.#staticLengths[path.length] === true ? this.#staticPaths.get(path) : undefined;",
        "const value = this.#staticLengths[path.length] === true ? this.#staticPaths.get(path) : this.#staticPaths.get(path) ;",
      ],
      ["const maxComparedChildren = 4;", "const maxComparedChildren = 5;"],
      [
        "if (children.length > maxComparedChildren) return this.childrenBySegment.get(path.slice(start, end));",
        "if (true) return this.childrenBySegment.get(path.slice(start, end));",
      ],
      [
        "if (children.length > maxComparedChildren) return this.childrenBySegment.get(path.slice(start, end));",
        "if (false) return this.childrenBySegment.get(path.slice(start, end));",
      ],
      [
        "if (children.length > maxComparedChildren) return this.childrenBySegment.get(path.slice(start, end));",
        "if (children.length >= maxComparedChildren) return this.childrenBySegment.get(path.slice(start, end));",
      ],
      [
        "if (children.length > maxComparedChildren) return this.childrenBySegment.get(path.slice(start, end));",
        "if (children.length > maxComparedChildren) ;",
      ],
    ],
  },
  {
    file: "src/http/router/route-table.ts",
    why: "A function without a return value returns undefined.",
    changes: [["return undefined;", ";"]],
  },
  {
    file: "src/http/router/route-table.ts",
    why: "Fast path: without routes for hosts, no host matches.",
    changes: [
      ["if (this.#hosts.size > 0 || this.#wildcardHosts.length > 0) {", "if (true) {"],
      [
        "if (this.#hosts.size > 0 || this.#wildcardHosts.length > 0) {",
        "if (this.#hosts.size >= 0 || this.#wildcardHosts.length > 0) {",
      ],
      [
        "if (this.#hosts.size > 0 || this.#wildcardHosts.length > 0) {",
        "if (this.#hosts.size > 0 || this.#wildcardHosts.length >= 0) {",
      ],
    ],
  },
  {
    file: "src/http/router/route-table.ts",
    why: "A path does not end with a slash, so no segment begins at its end.",
    changes: [
      [
        "if (start > path.length) return node.value !== undefined && accepts(node.value) ? node.value : undefined;",
        "if (start >= path.length) return node.value !== undefined && accepts(node.value) ? node.value : undefined;",
      ],
    ],
  },
  {
    file: "src/web/session/verified-sessions.ts",
    why: "The cache contains no entry for an absent cookie.",
    changes: [
      [
        "const cachedSession = text === undefined ? undefined : sessions.get(text);",
        "const cachedSession = text === undefined ? sessions.get(text) : sessions.get(text);",
      ],
    ],
  },
  {
    file: "src/web/session/signed-cookie.ts",
    why: "An absent cookie has no valid signature.",
    changes: [
      [
        "const value = text === undefined ? undefined : verify(text, cookie, signingKeys(cookie));",
        "const value = text === undefined ? verify(text, cookie, signingKeys(cookie)) : verify(text, cookie, signingKeys(cookie));",
      ],
    ],
  },
  {
    file: "src/services/token/store/jwt/jwt-text.ts",
    why: "No generation is below 0, and a token without owner is never compared.",
    changes: [
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
    file: "src/services/user/users.ts",
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
    file: "src/table/search/search-cursor.ts",
    why: "Any other unique purpose works.",
    changes: [['const keyPurpose = "search cursor";', 'const keyPurpose = "";']],
  },
  {
    file: "src/services/user/engine/login-failures.ts",
    why: "The exact number of retries does not matter.",
    changes: [
      [
        "database.transaction(() => database.exec(change, options), { ...options, maxRetries: 5 });",
        "database.transaction(() => database.exec(change, options), { ...options, maxRetries: 6 });",
      ],
    ],
  },
  {
    file: "src/services/user/engine/device-cookie.ts",
    why: "Any other unique purpose works. A function without a return value returns undefined.",
    changes: [
      ['const deviceKeyPurpose = "user-device";', 'const deviceKeyPurpose = "";'],
      ["return undefined;", ";"],
    ],
  },
  {
    file: "src/services/user/login.ts",
    why: "Any other unique scope works.",
    changes: [['if (client === "session") return ["session"];', 'if (client === "session") return [""];']],
  },
  {
    file: "src/services/user/login.ts",
    why: "An unknown user has no correct password.",
    changes: [['if (!isCorrect || login?.status !== "active") {', 'if (!isCorrect || login.status !== "active") {']],
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
    file: "src/password/argon2.ts",
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
    file: "src/password/argon2.ts",
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
      ["const repeated = /^(.+?)\\1+$/su.exec(text)?.[1];", "const repeated = /^(.*?)\\1+$/su.exec(text)?.[1];"],
      ["const repeated = /^(.+?)\\1+$/su.exec(text)?.[1];", "const repeated = /^(.+)\\1+$/su.exec(text)?.[1];"],
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
    file: "src/password/common-passwords.ts",
    why: "JSON.parse decodes bytes as UTF-8, an error gives an empty name as well, and `@` only begins the scope of a package.",
    changes: [
      [
        'const manifest = JSON.parse(readFileSync(join(ConfigurationInternals.root(), "package.json"), "utf8"));',
        'const manifest = JSON.parse(readFileSync(join(ConfigurationInternals.root(), "package.json"), ""));',
      ],
      [
        'return typeof name === "string" ? name.replace(/^@[^/]*\\//, "") : "";',
        'return typeof name === "string" ? name.replace(/^@[^/]*\\//, "") : name.replace(/^@[^/]*\\//, "") ;',
      ],
      [
        'return typeof name === "string" ? name.replace(/^@[^/]*\\//, "") : "";',
        'return typeof name === "string" ? name.replace(/@[^/]*\\//, "") : "";',
      ],
      [
        'return typeof name === "string" ? name.replace(/^@[^/]*\\//, "") : "";',
        'return typeof name === "string" ? name.replace(/^@[^/]+\\//, "") : "";',
      ],
    ],
  },
  {
    file: "src/password/common-passwords.ts",
    why: "A match has both parts, and a word never begins the word before it in a sorted list.",
    changes: [
      [
        'for (const [, letter = "A", rest = ""] of list().matchAll(/([A-Z])([^A-Z]*)/g)) {',
        'for (const [, letter = "", rest = ""] of list().matchAll(/([A-Z])([^A-Z]*)/g)) {',
      ],
      [
        'for (const [, letter = "A", rest = ""] of list().matchAll(/([A-Z])([^A-Z]*)/g)) {',
        'for (const [, letter = "A", rest = ""] of list().matchAll(/([A-Z])([^A-Z]+)/g)) {',
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
    why: "UTF-8 is the default encoding, and an attachment with content has a name.",
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
    why: "UTF-8 is the default encoding, JSON is never empty, and a function without a return value returns undefined.",
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
    why: "A job without a return value has succeeded.",
    changes: [
      ["return ok();", ";"],
      ["return ok();", "return;"],
    ],
  },
  {
    file: "src/email-address/email-address.ts",
    why: "A successful result has no error, and a domain name does not end with a dot.",
    changes: [
      [
        "return normalized.ok ? undefined : normalized.error;",
        "return normalized.ok ? normalized.error : normalized.error;",
      ],
      [
        "if (!domainPattern.test(asciiDomain) || /(?:^|\\.)\\d+$/.test(asciiDomain))",
        "if (!domainPattern.test(asciiDomain) || /(?:^|\\.)\\d*$/.test(asciiDomain))",
      ],
    ],
  },
  {
    file: "src/token-bucket/token-bucket.ts",
    why: "The difference is never exactly equal to the tolerance.",
    changes: [
      [
        "const isAllowed = previous + costUs <= nowUs + capacityUs + toleranceUs;",
        "const isAllowed = previous + costUs < nowUs + capacityUs + toleranceUs;",
      ],
    ],
  },
  {
    file: "src/http/caching/content-coding.ts",
    why: "The weight 0 is that of an invalid weight, too.",
    changes: [
      [
        "return /^(?:0(?:\\.\\d{0,3})?|1(?:\\.0{0,3})?)$/.test(text) ? Number(text) : 0;",
        "return /^(?:0(?:\\.\\d{0,3})|1(?:\\.0{0,3})?)$/.test(text) ? Number(text) : 0;",
      ],
    ],
  },
  {
    file: "src/http/caching/precondition.ts",
    why: "An absent header is no date.",
    changes: [
      [
        "return text === undefined ? undefined : parseHttpDate(text);",
        "return text === undefined ? parseHttpDate(text) : parseHttpDate(text);",
      ],
    ],
  },
  {
    file: "src/http/caching/precondition.ts",
    why: "A second GMT does not change a date.",
    changes: [
      [
        'const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);',
        'const time = Date.parse(text.startsWith("GMT") ? text : `${text} GMT`);',
      ],
      [
        'const time = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);',
        'const time = Date.parse(text.endsWith("GMT") ? `${text} GMT` : `${text} GMT`);',
      ],
    ],
  },
  {
    file: "src/http/caching/file.ts",
    why: "Fast path: the removal of an absent header changes nothing.",
    changes: [
      [
        "for (const name of contentHeaders) if (copy.header(name) !== undefined) copy = copy.withoutHeader(name);",
        "for (const name of contentHeaders) if (true) copy = copy.withoutHeader(name);",
      ],
    ],
  },
  {
    file: "src/web/middleware/etag.ts",
    why: "The response has this entity tag already.",
    changes: [
      [
        'const taggedResponse = handlerTag === undefined ? response.withHeader("etag", tag) : response;',
        'const taggedResponse = handlerTag === undefined ? response.withHeader("etag", tag) : response.withHeader("etag", tag) ;',
      ],
    ],
  },
  {
    file: "src/web/middleware/origin-set.ts",
    why: "The origin of a URL begins with its scheme.",
    changes: [
      [
        "if (!/^https?:\\/\\//.test(origin) || URL.parse(origin)?.origin !== origin) throw errors.E_ORIGIN_INVALID(origin);",
        "if (!/https?:\\/\\//.test(origin) || URL.parse(origin)?.origin !== origin) throw errors.E_ORIGIN_INVALID(origin);",
      ],
    ],
  },
  {
    file: "src/web/static/asset.ts",
    why: "JSON.parse decodes bytes as UTF-8.",
    changes: [
      [
        'return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) ) : {};',
        'return existsSync(path) ? (JSON.parse(readFileSync(path, "")) ) : {};',
      ],
    ],
  },
  {
    file: "src/http/router/handler.ts",
    why: "Fast paths: the last statement treats such a result in the same way.",
    changes: [
      ["if (result instanceof Response) return change(result);", "if (false) return change(result);"],
      ["if (result instanceof Response) return change(result);", "if (result instanceof Response) ;"],
      [
        "if (result instanceof Promise) return result.then((settled) => change(toResponse(settled)));",
        "if (false) return result.then((settled) => change(toResponse(settled)));",
      ],
      [
        "if (result instanceof Promise) return result.then((settled) => change(toResponse(settled)));",
        "if (result instanceof Promise) ;",
      ],
    ],
  },
  {
    file: "src/http/router/parameter-type.ts",
    why: "A segment is validated when the route is created.",
    changes: [
      [
        'const [, marker, name, type = "text", optional] = /^([:*])(\\w+)(?:<(\\w+)>)?(\\?)?$/.exec(segment) ?? [];',
        'const [, marker, name, type = "text", optional] = /^([:*])(\\w*)(?:<(\\w+)>)?(\\?)?$/.exec(segment) ?? [];',
      ],
      [
        'const [, marker, name, type = "text", optional] = /^([:*])(\\w+)(?:<(\\w+)>)?(\\?)?$/.exec(segment) ?? [];',
        'const [, marker, name, type = "text", optional] = /^([:*])(\\w+)(?:<(\\w*)>)?(\\?)?$/.exec(segment) ?? [];',
      ],
      [
        'const [, marker, name, type = "text", optional] = /^([:*])(\\w+)(?:<(\\w+)>)?(\\?)?$/.exec(segment) ?? [];',
        'const [, marker, name, type = "text", optional] = /^([:*])(\\w+)(?:<(\\w+)>)?(\\?)?/.exec(segment) ?? [];',
      ],
    ],
  },
  {
    file: "src/web/static/send-file.ts",
    why: "The cache ignores content that is not as long as the file.",
    changes: [
      [
        "const keep = length === stored.size ? (read ) => contents.store(stored, read) : undefined;",
        "const keep = length === stored.size ? (read ) => contents.store(stored, read) : (read ) => contents.store(stored, read) ;",
      ],
    ],
  },
  {
    file: "src/web/query/query.ts",
    why: "Fast path: a text of so many code units has too many characters.",
    changes: [
      [
        "if (text.length > 2 * maxFilterLength || Array.from(text).length > maxFilterLength) {",
        "if (text.length > 3 * maxFilterLength || Array.from(text).length > maxFilterLength) {",
      ],
    ],
  },
  {
    file: "src/web/query/query.ts",
    why: "An empty value counts as absent.",
    changes: [
      [
        'if (!/^[0-9]+$/.test(text)) throw errors.E_QUERY_INVALID(key, "must be a whole number, in the digits 0 to 9");',
        'if (!/^[0-9]*$/.test(text)) throw errors.E_QUERY_INVALID(key, "must be a whole number, in the digits 0 to 9");',
      ],
      [
        "if (text.length > maxCursorLength || !/^[\\w.~-]+$/.test(text))",
        "if (text.length > maxCursorLength || !/^[\\w.~-]*$/.test(text))",
      ],
    ],
  },
  {
    file: "src/http/router/mount.ts",
    why: "The empty path and one slash are the same path of a scope.",
    changes: [
      [
        'return choose([any("/", handler), any("/*rest", handler)], { scope: path });',
        'return choose([any("", handler), any("/*rest", handler)], { scope: path });',
      ],
    ],
  },
];
