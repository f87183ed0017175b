/** What is tried, and the tests that must notice. */
export interface Subject {
  readonly name: string;
  /** Globs of sources, and of tests in the order in which they run. */
  readonly sources: readonly string[];
  readonly tests: readonly string[];
}

const web = (name: string, sources: readonly string[], tests: readonly string[]): Subject => ({
  name,
  sources: sources.map((glob) => `src/web/${glob}`),
  tests: tests.map((glob) => `src/web/${glob}`),
});

const service = (name: string, sources: readonly string[], tests: readonly string[]): Subject => ({
  name,
  sources: sources.map((glob) => `src/services/${glob}`),
  tests: tests.map((glob) => `src/services/${glob}`),
});

/** The modules that an attacker meets first. */
export const subjects: readonly Subject[] = [
  web("session", ["session/*.ts", "middleware/session.ts"], ["session/*.test.ts", "middleware/csrf.test.ts"]),
  web("flash", ["flash/*.ts", "middleware/flash.ts"], ["flash/*.test.ts"]),
  web(
    "csrf",
    ["csrf/*.ts", "middleware/csrf.ts"],
    ["middleware/csrf.test.ts", "csrf/*.test.ts", "content/origin-set.test.ts"],
  ),
  web("method override", ["middleware/method-override.ts"], ["middleware/method-override.test.ts"]),
  web(
    "static files",
    ["static/*.ts", "middleware/static-file.ts"],
    ["static/static.test.ts", "static/{fingerprint,public-directory}.test.ts"],
  ),
  web(
    "content",
    ["content/*.ts", "middleware/etag.ts"],
    ["content/*.test.ts", "middleware/etag.test.ts", "static/static.test.ts"],
  ),
  web("request limit", ["request-limit/*.ts", "middleware/request-limit.ts"], ["request-limit/*.test.ts"]),
  web("cors", ["middleware/cors.ts"], ["middleware/cors.test.ts"]),
  web("cookie", ["cookie.ts"], ["cookie.test.ts"]),
  web("path", ["path.ts"], ["path.test.ts"]),
  web("router", ["router/*.ts"], ["router/*.test.ts"]),
  web("query", ["query.ts", "parameters.ts"], ["query.test.ts", "request.test.ts"]),
  service("jwt", ["token/jwt/jwt-text.ts"], ["token/jwt/jwt.test.ts"]),
  service("bearer", ["token/web.ts"], ["token/web.test.ts"]),
  service("reset pages", ["password-reset/web.ts"], ["password-reset/web.test.ts"]),
];
