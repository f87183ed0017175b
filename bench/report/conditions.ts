/** Conditions of the benchmarks of protocols, large bodies and load. */
export const otherConditions: readonly string[] = [
  "- **Connections.** A closed connection is replaced; connecting counts for the next request. Pipelined requests leave in one write.",
  "- **TLS** 1.3 with a certificate on P-256, without resumed sessions. HTTP/2: the baseline uses the streams of `node:http2`, Fastify its",
  "  compatibility layer.",
  "- **Processes.** The figures add the primary process and its workers, which share one of two cores: they show the cost of the distribution,",
  "  not the gain.",
  "- **Compression** in memory, for 16 connections. The size of each response may differ by 5 %.",
  "- **Static set.** 2 to 59 kB, each with a `.gz` and a `.br` sibling. 4 connections receive the file of 50 MB.",
  "- **Upload.** One part of `multipart/form-data` on each of 4 connections, stored in a temporary file, which is deleted.",
  "- **Rate.** A latency begins when the request is due, so a pause counts for all requests that it delays.",
  "- **Bad traffic.** Malformed, contradictory, oversized and incomplete requests, other protocols, and silence, dropped after a second. Only good",
  "  requests count, with the CPU time of all.",
  "- **Cached rows.** Limmat has its memory cache with JSON that a schema checks, the others a `Map`.",
  "- **Search of 1,000,000 rows** without a trigram index, for 8 connections: the database scans all rows.",
  "- **Event stream.** One process, 256 clients, the next event after all have received the last one.",
];

/** Conditions of all benchmarks, for their pages. Whoever compares the figures with others needs every one of them. */
export const conditions: readonly string[] = [
  "- **Baseline.** Code on `node:http` as an expert writes it, without security headers, request ids or limits: prebuilt heads, small bodies",
  "  without stream events, verified sessions and small files in memory, and `pg` with named statements on a few pipelined connections. On",
  "  Bun, a plain `Bun.serve`. “With headers” adds the headers that limmat sends by default.",
  "- **Limmat** runs with its defaults and the stack of its guides: `api()` for JSON, `site()` for pages.",
  "- **Peers** follow their documentation, with the plugins that their users install, without a logger, with named statements on a pool of 10",
  "  connections. AdonisJS cannot name statements. Fastify has response schemas; Eta renders the pages of Fastify and Express.",
  "- **Entity tags.** All send them for static files and pages without a token, none for JSON or pages with a CSRF token, which never repeat.",
  "- **Visitors** have a session each, and send its cookie. Limmat and the baseline remember about 5,000 verified sessions, the others none.",
  "- **Search.** All ignore case. On PostgreSQL the baseline and limmat use `lower(…) like`, the others `ilike`.",
  "- **Passwords** are argon2id with 19 MiB and 2 passes. AdonisJS uses the package of its driver, the others the fastest one; the default",
  "  of limmat, `node:crypto`, costs 2.8 times as much.",
  "- **Client.** Each connection sends its next request after the last response, on the loopback interface, without TLS. PostgreSQL runs on the",
  "  same machine.",
  "- **CPU** is the time of the process, all threads, per request, without the database. Figures are medians of the rounds. Where a table of",
  "  requests per second is missing, the process serves 0.8 to 1 million divided by the CPU time in µs, or the rate is fixed.",
];
