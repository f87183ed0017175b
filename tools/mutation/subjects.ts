/** Sources to mutate, and the tests that must kill the mutants. */
export interface Subject {
  readonly name: string;
  /** Globs of sources and tests. The tests run in this order. */
  readonly sources: readonly string[];
  readonly tests: readonly string[];
}

/** Creates a subject whose sources and tests are in one folder. Paths that begin with `src/` or `test/` stay unchanged. */
function subject(folder: string, name: string, sources: readonly string[], tests: readonly string[]): Subject {
  const resolve = (glob: string): string => (/^(?:src|test)\//.test(glob) ? glob : `${folder}/${glob}`);
  return { name, sources: sources.map(resolve), tests: tests.map(resolve) };
}

/** Modules that process input of clients, and the cores of the services. */
export const subjects: readonly Subject[] = [
  subject(
    "src/web",
    "session",
    ["session/*.ts", "middleware/session.ts"],
    ["session/*.test.ts", "middleware/csrf.test.ts"],
  ),
  subject("src/web", "flash", ["flash/*.ts", "middleware/flash.ts"], ["flash/*.test.ts"]),
  subject("src/web", "csrf", ["csrf/*.ts", "middleware/csrf.ts"], ["middleware/csrf.test.ts", "csrf/*.test.ts"]),
  subject("src/web/middleware", "method override", ["method-override.ts"], ["method-override.test.ts"]),
  subject(
    "src/web",
    "static files",
    ["static/*.ts", "middleware/static-file.ts"],
    ["static/static.test.ts", "static/{asset,file-content-cache,fingerprint,public-directory}.test.ts"],
  ),
  subject(
    "src/http/caching",
    "content",
    ["*.ts", "src/web/middleware/etag.ts"],
    ["*.test.ts", "src/web/middleware/etag.test.ts", "src/web/static/static.test.ts"],
  ),
  subject(
    "src/web",
    "request limit",
    ["request-limit/*.ts", "middleware/request-limit.ts"],
    ["request-limit/*.test.ts"],
  ),
  subject(
    "src/http/multipart",
    "multipart",
    ["*.ts"],
    ["{parts,malformed}.test.ts", "src/web/middleware/method-override.test.ts", "upload.test.ts"],
  ),
  subject("src/web/middleware", "cors", ["cors.ts"], ["cors.test.ts"]),
  subject("src/http/message", "cookie", ["cookie.ts"], ["cookie.test.ts"]),
  subject("src/http/message", "target", ["target.ts"], ["target.test.ts", "request.test.ts"]),
  subject(
    "src/http/server",
    "hosts and proxies",
    ["{allowed-hosts,trusted-proxies}.ts", "src/config/host-names.ts"],
    ["network.test.ts", "wire.test.ts"],
  ),
  subject(
    "src/http/server",
    "HTTP parser",
    ["net/{bytes,chunk-scanner,field-scanner,parser,request-head}.ts", "head-rules.ts"],
    ["net/parser.test.ts", "net/parser-cost.test.ts", "head-rules.test.ts", "test/http-parser/differential.test.ts"],
  ),
  subject("src/http/router", "router", ["*.ts"], ["*.test.ts"]),
  subject("src/web/query", "query", ["{query,parse-query}.ts"], ["query.test.ts"]),
  subject(
    "src/web/query",
    "query filters",
    ["query-{filters,sort}.ts"],
    ["query-{filters,description}.test.ts", "query.test.ts"],
  ),
  subject("src/web/rest", "conflicts", ["{conflict,version}.ts"], ["conflict.test.ts", "version.test.ts"]),
  subject(
    "src/services/idempotency",
    "idempotency",
    ["make-idempotency.ts", "web/*.ts", "store/memory.ts"],
    ["web/middleware.test.ts", "contract.test.ts"],
  ),
  subject("src/outbound", "URLs of users", ["{fetch,public-address,target}.ts"], ["outbound.test.ts"]),
  subject("src/services/webhook", "webhook signatures", ["engine/{signature,verify}.ts"], ["signature.test.ts"]),
  subject("src/services/token", "jwt", ["store/jwt/jwt-text.ts"], ["store/jwt/jwt.test.ts"]),
  subject("src/services/token/web", "bearer", ["bearer.ts"], ["bearer.test.ts"]),
  subject("src/services/password-reset/web", "reset pages", ["{pages,router}.ts"], ["router.test.ts"]),
  subject("src/email-address", "e-mail address", ["*.ts"], ["email-address.test.ts"]),
  subject("src/media-type", "media type", ["*.ts"], ["media-type.test.ts"]),
  subject("src/time", "time", ["*.ts"], ["time.test.ts"]),
  subject("src/lease", "leases", ["*.ts"], ["lease.test.ts"]),
  subject("src/web/htmx", "htmx", ["htmx.ts"], ["htmx.test.ts"]),
  subject("src/testing", "cookies of the test visitor", ["{cookie-jar,visitor}.ts"], ["visitor.test.ts"]),
  subject("src/token-bucket", "token bucket", ["*.ts"], ["token-bucket.test.ts"]),
  subject(
    "src/services/user",
    "login",
    ["{login,passwords,users,write-users}.ts", "engine/{device-cookie,login-failures}.ts"],
    ["login.test.ts", "engine/device-cookie.test.ts", "test/user/sqlite.test.ts"],
  ),
  subject("src/services/user", "session list", ["sessions.ts"], ["sessions.test.ts", "test/user/sqlite.test.ts"]),
  subject("src/password", "passwords", ["*.ts"], ["policy.test.ts", "password.test.ts", "contract.test.ts"]),
  subject(
    "src/services/email",
    "e-mail",
    ["engine/{attachments,check-message,headers}.ts"],
    ["engine/check-message.test.ts", "transport/{injection,contract}.test.ts"],
  ),
  subject("src/services/email", "inbox", ["engine/inbox.ts"], ["transport/make-email.test.ts"]),
  subject(
    "src/services/email",
    "queued e-mail",
    ["queued.ts", "engine/sealed-mail.ts"],
    ["engine/sealed-mail.test.ts", "queued.test.ts"],
  ),
  subject(
    "src/table/search",
    "search cursor",
    ["search-cursor.ts"],
    ["test/database/paging.test.ts", "src/database/sqlite/sqlite.test.ts"],
  ),
  subject(
    "src/table/search",
    "search order",
    ["{cursor-ranges,sort-order}.ts"],
    ["{cursor-ranges,sort-order}.test.ts"],
  ),
  subject(
    "src/services/storage",
    "storage names",
    ["src/core/filename.ts", "src/http/message/content-disposition.ts"],
    ["operations.test.ts", "store/disk.test.ts", "web/file.test.ts"],
  ),
  subject(
    "src/services/storage",
    "storage",
    ["make-storage.ts", "engine/chunks.ts", "store/{disk,memory}.ts"],
    ["operations.test.ts", "store/disk.test.ts", "store/contract.test.ts"],
  ),
  subject(
    "src/services/queue",
    "jobs",
    ["engine/{attempt,dispatch,job-registry,payload}.ts"],
    ["job.test.ts", "store/memory/memory.test.ts", "service.test.ts"],
  ),
  subject(
    "src/services/queue",
    "workers",
    ["engine/{in-flight-jobs,monitoring,prefetch-buffer,worker}.ts"],
    ["job.test.ts", "store/memory/memory.test.ts", "service.test.ts"],
  ),
  subject(
    "src/services/queue",
    "queue in memory",
    ["service.ts", "store/memory/*.ts"],
    ["store/memory/memory.test.ts", "service.test.ts"],
  ),
  subject(
    "src/services/schedule",
    "schedule",
    ["{commands,schedule,service}.ts", "engine/*.ts", "store/memory.ts"],
    ["service.test.ts", "engine/timing.test.ts", "store/store.test.ts"],
  ),
  subject(
    "src/services/cache",
    "cache",
    ["{make-cache,typed}.ts", "engine/*.ts", "store/memory.ts"],
    ["store/memory.test.ts", "{typed,cache}.test.ts"],
  ),
];
