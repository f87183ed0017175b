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
  tests: tests.map((glob) => (glob.startsWith("test/") ? glob : `src/services/${glob}`)),
});

/** The modules that an attacker meets first, and the cores of the services. */
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
    ["static/static.test.ts", "static/{fingerprint,kept-files,public-directory}.test.ts"],
  ),
  web(
    "content",
    ["content/*.ts", "middleware/etag.ts"],
    ["content/*.test.ts", "middleware/etag.test.ts", "static/static.test.ts"],
  ),
  web("request limit", ["request-limit/*.ts", "middleware/request-limit.ts"], ["request-limit/*.test.ts"]),
  web(
    "multipart",
    ["multipart/*.ts"],
    ["multipart/{parts,malformed}.test.ts", "middleware/method-override.test.ts", "multipart/upload.test.ts"],
  ),
  web("cors", ["middleware/cors.ts"], ["middleware/cors.test.ts"]),
  web("cookie", ["cookie.ts"], ["cookie.test.ts"]),
  web("path", ["path.ts"], ["path.test.ts"]),
  web("router", ["router/*.ts"], ["router/*.test.ts"]),
  web("query", ["query.ts", "parameters.ts"], ["query.test.ts", "request.test.ts"]),
  service("jwt", ["token/jwt/jwt-text.ts"], ["token/jwt/jwt.test.ts"]),
  service("bearer", ["token/web.ts"], ["token/web.test.ts"]),
  service("reset pages", ["password-reset/web.ts"], ["password-reset/web.test.ts"]),
  {
    name: "e-mail address",
    sources: ["src/email-address/*.ts"],
    tests: ["src/email-address/email-address.test.ts"],
  },
  { name: "token bucket", sources: ["src/token-bucket/*.ts"], tests: ["src/token-bucket/token-bucket.test.ts"] },
  service(
    "log-in",
    ["user/{changes,details,failures,log-in,new-users,passwords,sessions,turns,users}.ts"],
    ["user/turns.test.ts", "test/user/sqlite.test.ts"],
  ),
  service("session list", ["user/{device,session-list}.ts"], ["user/device.test.ts", "test/user/sqlite.test.ts"]),
  service("passwords", ["user/password/*.ts"], ["user/password/policy.test.ts", "user/password/password.test.ts"]),
  service(
    "e-mail",
    ["email/{attachment,check,control,header,mailbox}.ts"],
    ["email/{check,injection}.test.ts", "email/contract.test.ts"],
  ),
  service(
    "queued e-mail",
    ["email/{mail-json,queued,sealed-mail}.ts"],
    ["email/sealed-mail.test.ts", "email/queued.test.ts"],
  ),
  {
    name: "search cursor",
    sources: ["src/database/search-cursor.ts"],
    tests: ["test/database/paging.test.ts", "src/database/sqlite/sqlite.test.ts"],
  },
  {
    name: "storage names",
    sources: ["src/core/filename.ts", "src/services/storage/{disposition,names}.ts"],
    tests: ["src/services/storage/{names,disk,web}.test.ts"],
  },
  service(
    "storage",
    ["storage/{make-storage,memory,memory-store,operations,pieces,purging}.ts", "storage/disk/*.ts"],
    ["storage/disk.test.ts", "storage/contract.test.ts"],
  ),
  service(
    "jobs",
    ["queue/{dispatch,execution,outcome,payload,registry}.ts"],
    ["queue/job.test.ts", "queue/memory/memory.test.ts", "queue/queue.test.ts"],
  ),
  service(
    "workers",
    ["queue/{check,hands,run-due,store,supply,worker}.ts"],
    ["queue/job.test.ts", "queue/memory/memory.test.ts", "queue/queue.test.ts"],
  ),
  service(
    "queue in memory",
    ["queue/query.ts", "queue/memory/*.ts"],
    ["queue/memory/memory.test.ts", "queue/queue.test.ts"],
  ),
  service(
    "schedule",
    ["schedule/{collect,loop,memory-store,run,service,status,store,time-zone,timing}.ts"],
    ["schedule/{service,timing,store}.test.ts"],
  ),
  service(
    "cache",
    ["cache/{checks,claim,get-or-set,make-cache,memory,memory-store,operations,shelf,take,typed}.ts"],
    ["cache/{memory,typed,cache}.test.ts"],
  ),
];
