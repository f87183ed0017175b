import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../pages.ts";

/** Introduction of a page of the reference: its content, and the page that explains it, such as `guide/web`. */
type Introduction = readonly [content: string, explanation: string];

/** Introductions of entry points and namespaces, by the id of their page. The build fails for a page without one. */
const introductions: Readonly<Record<string, Introduction>> = {
  account: ["The account service: confirmation and change of an address, deletion.", "guide/registration-and-accounts"],
  admin: ["Pages for administrators over the tables of the application.", "guide/admin"],
  audit: ["The audit trail: who did what to which row.", "guide/audit"],
  "audit.web": ["The middleware that says who acts in entries of a request.", "guide/audit"],
  cache: ["The cache service: values with an expiry, counters, locks and rate limits.", "guide/cache"],
  "cache-redis": ["The cache in Redis.", "guide/cache"],
  "cache-store": ["The interface for backends of the cache.", "guide/cache"],
  components: ["Components for pages: form fields, error summaries, lists, filters and pagers.", "guide/components"],
  database: ["SQL statements, transactions, rows and searches, for all databases.", "guide/database"],
  "database-kysely": ["The query builder Kysely on the connections of the database service.", "guide/database"],
  "database-mariadb": ["The database service for MariaDB.", "guide/database"],
  "database-postgresql": ["The database service for PostgreSQL.", "guide/database"],
  "database-sqlite": ["The database service for SQLite.", "guide/database"],
  "database.migration": ["Migrations, their steps, and the service that runs them.", "guide/migrations"],
  "database.row": ["Types of columns, which convert and check the values of rows.", "guide/database"],
  "database.seed": ["The service that fills a database with initial data.", "guide/migrations"],
  email: ["The e-mail service: mails, queued delivery, layout and addresses.", "guide/email"],
  "email-sendgrid": ["Mails through SendGrid.", "guide/email"],
  "email-smtp": ["Mails over SMTP.", "guide/email"],
  "email-transport": ["The interface for transports of mails.", "guide/email"],
  "email.template": ["Mail templates in files.", "guide/email"],
  "email.web": ["The inbox, which shows the mails of a development server.", "guide/email"],
  html: ["Templates that escape by context, and functions for HTML, URLs and JSON in pages.", "guide/html"],
  http: ["The HTTP server and router alone, without services and command line.", "reference/http"],
  idempotency: ["Requests with an `Idempotency-Key`, which are processed once.", "reference/middleware"],
  "idempotency.web": [
    "The middleware that processes a request with an `Idempotency-Key` once.",
    "reference/middleware",
  ],
  "jsx-runtime": ["Functions that the compiler calls for JSX.", "guide/html"],
  "language-de": ["The texts of limmat in German.", "guide/languages"],
  "language-en": ["The texts of limmat in English.", "guide/languages"],
  "language-fr": ["The texts of limmat in French.", "guide/languages"],
  limmat: ["The application, and one namespace for each part of the framework.", "guide/services"],
  "limmat.app": ["The application: its services, and the commands that run it.", "concepts/services"],
  "limmat.authorization": ["Guards, which allow or deny a use case to a user.", "guide/authorization"],
  "limmat.cleaner": ["Functions that empty databases and stores between tests.", "guide/testing"],
  "limmat.command": ["Commands of the command line.", "guide/command-line"],
  "limmat.configuration": ["Configuration from environment variables and `.env` files.", "concepts/configuration"],
  "limmat.context": ["Values that travel with a call of a service.", "concepts/context"],
  "limmat.decimal": ["Exact calculations with decimals, and amounts of money.", "guide/money"],
  "limmat.language": ["Texts in several languages, which the compiler checks.", "guide/languages"],
  "limmat.log": ["The log: sources, levels, fields and reporters.", "guide/production"],
  "limmat.log.reporters": ["Reporters, which write the entries of the log.", "guide/production"],
  "limmat.outbound": ["Requests of URLs that users have given.", "guide/webhooks"],
  "limmat.password": ["Hashes of passwords, and rules for new ones.", "guide/passwords"],
  "limmat.random": ["Random tokens, numbers and UUIDs.", "guide/testing"],
  "limmat.secret": ["Texts that only this application can read, with a purpose and an expiry.", "guide/security"],
  "limmat.service": ["Services, which an application starts, checks and stops.", "guide/services"],
  "limmat.time": ["The clock, which tests can set, and durations in milliseconds.", "guide/testing"],
  "limmat.webhook": ["Signed webhooks, received and sent.", "guide/webhooks"],
  markdown: ["Markdown as HTML that is safe to send.", "guide/html"],
  messageformat: ["Texts with plurals, numbers, dates and lists.", "guide/languages"],
  metrics: ["Counters, gauges and histograms of an application.", "guide/metrics"],
  "metrics.web": ["The page of the metrics, in the format of Prometheus.", "guide/metrics"],
  "password-node-rs": ["Password hashes by the package `@node-rs/argon2`.", "guide/passwords"],
  "password-reset": ["Replacement of a forgotten password by a mailed link.", "guide/password-reset"],
  "password-reset.web": ["The pages on which a user replaces a forgotten password.", "guide/password-reset"],
  policy: ["Policies: who may do what with the rows of a table.", "guide/policies"],
  "policy.policy": ["Policies: who may do what with the rows of a table.", "guide/policies"],
  queue: ["Jobs that run outside a request, in memory or in a table.", "guide/queue"],
  "queue-store": ["The interface for backends of the queue.", "guide/queue"],
  "queue.web": ["The dashboard of a queue.", "guide/queue"],
  schedule: ["Work at fixed times or intervals.", "guide/schedule"],
  schema: ["Schemas of records, and the forms made from them.", "guide/forms"],
  "schema.form": ["Functions on a form: the input and the message of each field.", "guide/forms"],
  "schema.schema": ["Schemas, which decode and validate the fields of a record.", "guide/forms"],
  storage: ["The storage service, which stores files under ids.", "guide/storage"],
  "storage-store": ["The interface for backends of the storage.", "guide/storage"],
  "storage.web": ["Responses with a stored file.", "guide/storage"],
  table: ["Tables: typed operations and relations from one description of the fields.", "guide/tables"],
  "table.table": ["Tables: typed operations and relations from one description of the fields.", "guide/tables"],
  testing: ["Tests of an application: visitors, assertions on rows, clock, log and jobs.", "guide/testing"],
  "testing-contracts": ["Test suites for a database or a queue that you write.", "guide/testing"],
  "testing.factory": ["Factories, which insert rows for tests.", "guide/testing"],
  token: ["The token service: API tokens, and secrets in links.", "guide/tokens"],
  "token.web": ["Middlewares for requests with a token.", "guide/tokens"],
  user: ["The user service: accounts, login and devices.", "guide/users"],
  "user.web": ["Login, logout, and middlewares that require a user.", "guide/login"],
  web: ["Routes, requests, responses, middlewares and resources.", "guide/web"],
  "web.csrf": ["Tokens against cross-site request forgery.", "reference/middleware"],
  "web.flash": ["Messages that the next page shows.", "reference/middleware"],
  "web.health": ["The pages by which a host checks an application.", "reference/http"],
  "web.htmx": ["Requests and responses of HTMX.", "guide/html"],
  "web.http": ["The service that runs the HTTP server, and its limits.", "reference/http"],
  "web.middleware": ["Middlewares, and the stacks `site` and `api`.", "reference/middleware"],
  "web.openapi": ["The OpenAPI document of the routes.", "guide/openapi"],
  "web.query": ["Search terms of a list, and functions that read, write and page them.", "guide/resources"],
  "web.requestlimit": ["Rate limits: keys and stores of the middleware `requestLimit`.", "reference/middleware"],
  "web.rest": ["Resources: the pages and JSON API of a service.", "guide/resources"],
  "web.session": ["Values of the session.", "reference/middleware"],
};

/** Returns the introduction of a page: its content, and a link to the page that explains it. `undefined` if there is none. */
export function introductionOf(id: string): { readonly content: string; readonly link: string } | undefined {
  const introduction = introductions[id];
  if (introduction === undefined) return undefined;
  const [content, explanation] = introduction;
  const markdown = readFileSync(join(root, `docs/${explanation}.md`), "utf8");
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? explanation;
  // The pages of the reference are in `docs/reference/api`.
  const path = explanation.startsWith("reference/") ? explanation.replace("reference/", "../") : `../../${explanation}`;
  return { content, link: `[${title}](${path}.md)` };
}
