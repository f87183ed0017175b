// Usual mistakes that show when the application starts, at a command or in a test, and what the terminal answers: a list
// for people, and the data of a test.
import type { Edit } from "./project.ts";

/** Mistake in a file of the project or in a command. */
export interface ProgramMistake {
  readonly mistake: string;
  readonly edits?: readonly Edit[];
  /** The development server, or the arguments of Node. */
  readonly run: "dev" | "dev --migrate" | readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  /** Text of the terminal, without what is in order. The development server shows it in the browser as well. */
  readonly answer: string;
}

const limmat = (...args: readonly string[]): readonly string[] => ["node_modules/limmat/bin/limmat.mjs", ...args];
const environmentLine = (line: string): readonly Edit[] => [
  { file: ".env", from: "CHECK_CSRF=true", to: `CHECK_CSRF=true\n${line}` },
];
const withPostgresql = (service: string): readonly Edit[] => [
  { file: "service/service.ts", from: "{ sqlite }", to: "{ postgresql }" },
  { file: "service/service.ts", from: "limmat/database/sqlite", to: "limmat/database/postgresql" },
  { file: "service/service.ts", from: "sqlite()", to: service },
];
const newNode = `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"22.1.0"})`;
/** Reporter of Node's test runner that prints the messages of failures. */
const messageReporter = `data:text/javascript,${encodeURIComponent(`export default async function* (events) {
  for await (const { type, data } of events) if (type === "test:fail") yield data.details.error.cause.message + "\\n";
}`)}`;
const leavesRows = `import * as NoteFactory from "./factory/note.ts";
import { test as plainTest } from "node:test";
import { useServices } from "./setup.ts";

useServices();
plainTest("makes a note", async () => void (await NoteFactory.make()));
`;

/** All mistakes that no request shows. */
export const programMistakes: readonly ProgramMistake[] = [
  {
    mistake: "An import has no extension",
    edits: [
      { file: "web/handler/hello.ts", to: `import { greet } from "../view/welcome";\nexport const hello = greet;\n` },
    ],
    run: "dev",
    answer: `web/handler/hello.ts imports "../view/welcome", and there is no such file.
  at web/handler/hello.ts:1:24

> 1 | import { greet } from "../view/welcome";
    |                        ^
  2 | export const hello = greet;
  3 |

Hint: Node imports a file by its whole name. Write "../view/welcome.ts".`,
  },
  {
    mistake: "An export is misspelt",
    edits: [{ file: "routes/routes.ts", from: "{ welcome }", to: "{ welcom }" }],
    run: "dev",
    answer: `web/handler/welcome.ts has no export named "welcom".
  at routes/routes.ts:6:10

  4 | import * as Greeting from "../web/handler/greeting.ts";
  5 | import { hello } from "../web/handler/hello.ts";
> 6 | import { welcom } from "../web/handler/welcome.ts";
    |          ^
  7 | import { notes } from "./note.ts";
  8 | import { account } from "./account.ts";

Hint: Did you mean "welcome"?`,
  },
  {
    mistake: "A package is not installed",
    edits: [{ file: "web/handler/hello.ts", from: `import`, to: `import { z } from "zod";\nimport` }],
    run: "dev",
    answer: `web/handler/hello.ts imports the package "zod", which is not installed.
  at web/handler/hello.ts:1:20

> 1 | import { z } from "zod";
    |                    ^
  2 | import { type Request, Response } from "limmat/web";
  3 |

Hint: Run: npm install zod`,
  },
  {
    mistake: "Two files import each other",
    edits: [
      {
        file: "app/job/send-digest.ts",
        from: `const log`,
        to: `import { jobs } from "./job.ts";\n\nexport const names = jobs.map(({ name }) => name);\nconst log`,
      },
    ],
    run: "dev",
    answer: `ReferenceError: Cannot access 'jobs' before initialization
  at app/job/send-digest.ts:5:22

  3 | import { jobs } from "./job.ts";
  4 |
> 5 | export const names = jobs.map(({ name }) => name);
    |                      ^
  6 | const log = Log.source("app.job");
  7 |

Hint: Files that import each other are loaded one after the other. Read the value inside a function, or move it to a third file.`,
  },
  {
    mistake: "Syntax that Node cannot remove",
    edits: [
      { file: "web/handler/hello.ts", from: `/** Responds`, to: `export enum Tone {\n  Kind,\n}\n\n/** Responds` },
    ],
    run: "dev",
    answer: `Node removes types and cannot translate other TypeScript syntax: TypeScript enum is not supported in strip-only mode.
  at web/handler/hello.ts:3:1

  1 | import { type Request, Response } from "limmat/web";
  2 |
> 3 | export enum Tone {
    | ^
  4 |   Kind,
  5 | }

Hint: Use a union of texts: type State = "open" | "done";`,
  },
  {
    mistake: "Two routes are equal",
    edits: [
      {
        file: "routes/routes.ts",
        from: `Web.get("/", welcome), notes`,
        to: `Web.get("/", welcome), Web.get("/", hello), notes`,
      },
    ],
    run: "dev",
    answer: `Error [E_ROUTE_TAKEN]: Two routes have the method and path GET /. Remove one of them, or move one to another scope.
  at routes/routes.ts:17:30

  15 | ];
  16 |
> 17 | const site = Web.choose([Web.get("/", welcome), Web.get("/", hello), notes], { middlewares });
     |                              ^
  18 |
  19 | // For clients with an API token: npm run app token.create api

  at routes/routes.ts:17:53

  15 | ];
  16 |
> 17 | const site = Web.choose([Web.get("/", welcome), Web.get("/", hello), notes], { middlewares });
     |                                                     ^
  18 |
  19 | // For clients with an API token: npm run app token.create api`,
  },
  {
    mistake: "A list of middlewares is listed as one",
    edits: [{ file: "routes/routes.ts", from: `[...Web.Middleware.api(),`, to: `[Web.Middleware.api(),` }],
    run: "dev",
    answer: `Error [E_ROUTE_INVALID]: The call of choose with the scope "/api" is invalid: entry 1 of its middlewares is a list. Write three dots before it, as in ...Web.Middleware.site().
  at routes/routes.ts:24:17

  22 | });
  23 |
> 24 | const api = Web.choose([Web.get("/hello/:name", hello), tokenApi], {
     |                 ^
  25 |   scope: "/api",
  26 |   middlewares: [Web.Middleware.api(), Web.Middleware.requestLimit({ limit: 100, periodMs: Time.minutes(1) })],`,
  },
  {
    mistake: "A handler is called in the routes",
    edits: [{ file: "routes/routes.ts", from: `Web.get("/", welcome)`, to: `Web.get("/", welcome())` }],
    run: "dev",
    answer: `Error [E_ROUTE_INVALID]: The route get("/") is invalid: its handler is a promise. Write a function that takes the request and returns a response.
  at routes/routes.ts:17:30

  15 | ];
  16 |
> 17 | const site = Web.choose([Web.get("/", welcome()), notes], { middlewares });
     |                              ^
  18 |
  19 | // For clients with an API token: npm run app token.create api`,
  },
  {
    mistake: "The path of a route has no slash",
    edits: [{ file: "routes/routes.ts", from: `"/hello/:name"`, to: `"hello/:name"` }],
    run: "dev",
    answer: `Error [E_ROUTE_PATH]: The route path "hello/:name" is invalid: it must begin with a slash.
  at routes/routes.ts:24:29

  22 | });
  23 |
> 24 | const api = Web.choose([Web.get("hello/:name", hello), tokenApi], {
     |                             ^
  25 |   scope: "/api",
  26 |   middlewares: [...Web.Middleware.api(), Web.Middleware.requestLimit({ limit: 100, periodMs: Time.minutes(1) })],`,
  },
  {
    mistake: "Two services depend on each other",
    edits: [
      {
        file: "run/run.ts",
        from: `const http`,
        to: `const first: Service.Service = Service.make({ name: "first", dependencies: () => [second] });
const second: Service.Service = Service.make({ name: "second", dependencies: () => [first] });
const http`,
      },
      { file: "run/run.ts", from: `Schedule, Seed, Web }`, to: `Schedule, Seed, Service, Web }` },
      { file: "run/run.ts", from: `services: [database`, to: `services: [first, database` },
    ],
    run: "dev",
    answer: `Error [E_SERVICE_CYCLE]: Services depend on each other in a cycle: first → second → first. Remove one of these dependencies.
  at run/run.ts:24:40

  22 | const seed = Seed.service({ database, seeds });
  23 | export const schedule = Schedule.service(schedules, { database });
> 24 | const first: Service.Service = Service.make({ name: "first", dependencies: () => [second] });
     |                                        ^
  25 | const second: Service.Service = Service.make({ name: "second", dependencies: () => [first] });
  26 | const http = Web.Http.service({ router, middlewares: [serverTiming] });

  at run/run.ts:25:41

  23 | export const schedule = Schedule.service(schedules, { database });
  24 | const first: Service.Service = Service.make({ name: "first", dependencies: () => [second] });
> 25 | const second: Service.Service = Service.make({ name: "second", dependencies: () => [first] });
     |                                         ^
  26 | const http = Web.Http.service({ router, middlewares: [serverTiming] });
  27 |`,
  },
  {
    mistake: "The time of a schedule is impossible",
    edits: [{ file: "app/schedule/greeting-daily.ts", from: `0 7 * * *`, to: `0 25 * * *` }],
    run: "dev",
    answer: `Error [E_SCHEDULE_CRON]: The schedule "greeting.daily" has an invalid cron expression "0 25 * * *": Invalid value for hour: 25. Use minute, hour, day of month, month and day of week, such as "0 3 * * 1".
Because of RangeError: CronPattern: Invalid value for hour: 25
  at app/schedule/greeting-daily.ts:8:39

   6 |
   7 | /** Writes a random greeting to the log every morning. */
>  8 | export const greetingDaily = Schedule.make({
     |                                       ^
   9 |   name: "greeting.daily",
  10 |   description: "Writes a random greeting to the log",`,
  },
  {
    mistake: "The database server does not run",
    edits: [
      ...withPostgresql("postgresql()"),
      ...environmentLine("DATABASE_URL=postgresql://app:secret@127.0.0.1:1/app"),
    ],
    run: "dev",
    answer: `Error [E_DATABASE_CONNECT]: Cannot connect to PostgreSQL at 127.0.0.1:1/app: connect ECONNREFUSED 127.0.0.1:1. Check that the server runs, and its address in the URL (DATABASE_URL in .env:4).`,
  },
  {
    mistake: "The database server of a URL in the code does not run",
    edits: withPostgresql(`postgresql({ url: "postgresql://app:secret@127.0.0.1:1/app" })`),
    run: "dev",
    answer: `Error [E_DATABASE_CONNECT]: Cannot connect to PostgreSQL at 127.0.0.1:1/app: connect ECONNREFUSED 127.0.0.1:1. Check that the server runs, and its address in the URL (an option of the service "database" in service/service.ts:9).`,
  },
  {
    mistake: "The URL is that of another database",
    edits: [...withPostgresql("postgresql()"), ...environmentLine("DATABASE_URL=database/app.sqlite")],
    run: limmat("migrate"),
    answer: `Error [E_SERVICE_START]: The service "database" could not start: The URL of the database cannot be used: the form for PostgreSQL is postgresql://user:password@host:5432/name (DATABASE_URL in .env:4).
  because [E_DATABASE_URL]`,
  },
  {
    mistake: "The Redis server does not run",
    edits: [
      ...environmentLine("REDIS_URL=redis://127.0.0.1:1"),
      { file: "run/run.ts", from: "import { App", to: 'import { redis } from "limmat/cache/redis";\nimport { App' },
      { file: "run/run.ts", from: "services: [database", to: "services: [redis(), database" },
    ],
    run: "dev",
    answer: `Error [E_CACHE_UNAVAILABLE]: The cache at redis://127.0.0.1:1 (REDIS_URL in .env:4) does not respond: connect ECONNREFUSED 127.0.0.1:1. Check that it runs, and its address.`,
  },
  {
    mistake: "The mail server does not run",
    edits: environmentLine(
      "EMAIL_SEND_OUTSIDE_PRODUCTION=true\nSMTP_SENDER=app@mail.test\nSMTP_HOST=127.0.0.1\nSMTP_PORT=1",
    ),
    run: limmat("email.send-test", "ada@mail.test"),
    answer: `Error [E_EMAIL_UNAVAILABLE]: The mail could not be sent to 127.0.0.1:1 (SMTP_HOST in .env:6): connect ECONNREFUSED 127.0.0.1:1. A retry may succeed.`,
  },
  {
    mistake: "A migration is edited after it ran",
    edits: [{ file: "database/migration/greetings.ts", from: "string(80)", to: "string(90)" }],
    run: "dev --migrate",
    answer: `Error [E_MIGRATION_CHANGED]: Applied migration steps differ from those of this application: greetings 1 "create table greetings" was edited. Restore them as they were, and write each change as a new step. In development, "migrate fresh" starts over. If the database is right as it is, "migrate resolve greetings --accept" records the steps as they are now.
  at database/migration/greetings.ts:4:13

  2 |
  3 | export const greetings = Migration.make("greetings", [
> 4 |   Migration.step(
    |             ^
  5 |     "create table greetings",
  6 |     ({ uuid, string, timestamp }) => \``,
  },
  {
    mistake: "A service is not listed",
    edits: [{ file: "run/run.ts", from: "[database, migration, seed,", to: "[database," }],
    run: limmat("migrate"),
    answer: `There is no command "migrate". It comes with the migration service, Migration.service({ database }), which the application does not list in its services.
"npx limmat help" lists all commands.`,
  },
  {
    mistake: "A command uses a database that it does not depend on",
    edits: [{ file: "app/command/greeting-add.ts", from: "[database]", to: "[]" }],
    run: limmat("greeting.add", "Hello"),
    answer: `Error [E_DATABASE_NOT_STARTED]: The database "database" is not started. Add it to the application's service list, or to the command's dependencies.

    at Module.insert (file://<root>/app/domain/greeting/repository.ts:12:18)
    at Module.insert (file://<root>/app/domain/greeting/greeting.ts:17:20)
    at Object.run (file://<root>/app/command/greeting-add.ts:15:20)`,
  },
  {
    mistake: "A key of .env is misspelt",
    edits: environmentLine("DATABSE_URL=other.sqlite"),
    run: limmat("doctor"),
    answer: `warning  configuration: DATABSE_URL is set in .env:4, and nothing reads it. Did you mean DATABASE_URL?
         Correct the name, or remove the line.`,
  },
  {
    mistake: "A value of .env has the wrong type",
    edits: environmentLine("PORT=80o0"),
    run: limmat("config", "--check"),
    answer: `Error [E_CONFIGURATION]: The configuration is incomplete or wrong:

  PORT  must be a whole number from 0 to 65535, in digits (read from: .env:4)

Set these keys in the process environment or in an env file. The command config lists all keys.`,
  },
  {
    mistake: "A line of .env has no equals sign",
    edits: environmentLine("PORT 3000"),
    run: limmat("config", "--check"),
    answer: `Error [E_CONFIGURATION]: The configuration is incomplete or wrong:

  <root>/.env  has an invalid line 4: write KEY=value, close each quote, and quote a value with #

Set these keys in the process environment or in an env file. The command config lists all keys.`,
  },
  {
    mistake: "The secret is too short",
    edits: environmentLine("FRAMEWORK_SECRET=short"),
    run: limmat("config", "--check"),
    variables: {
      FRAMEWORK_ENV: "production",
      SMTP_HOST: "mail.test",
      SMTP_SENDER: "app@mail.test",
      APP_URL: "https://app.test",
    },
    answer: `Error [E_CONFIGURATION]: The configuration is incomplete or wrong:

  FRAMEWORK_SECRET  must have at least 32 bytes: the command random makes one (read from: .env:4)

Set these keys in the process environment or in an env file. The command config lists all keys.`,
  },
  {
    mistake: "There is no .env",
    edits: [{ file: ".env", to: "" }],
    run: limmat("server"),
    variables: {
      FRAMEWORK_ENV: "production",
      SMTP_HOST: "mail.test",
      SMTP_SENDER: "app@mail.test",
      APP_URL: "https://app.test",
    },
    answer: `Error [E_CONFIGURATION]: The configuration is incomplete or wrong:

  FRAMEWORK_SECRET  is not set (the secret that signs sessions, at least 32 random bytes: the command random makes one)

Set these keys in the process environment or in an env file. The command config lists all keys.`,
  },
  {
    mistake: "The port is used",
    run: limmat("server"),
    answer: `Error [E_SERVICE_START]: The service "http" could not start: Port <port> of 127.0.0.1 is used by another program. Stop that program, or set PORT to another number.
  because [E_PORT_TAKEN]
    because [EADDRINUSE]: listen EADDRINUSE: address already in use 127.0.0.1:<port>`,
  },
  {
    mistake: "A command is misspelt",
    run: limmat("migrat"),
    answer: `There is no command "migrat". Did you mean "migrate"?
"npx limmat help" lists all commands.`,
  },
  {
    mistake: "The type of a field is misspelt",
    run: limmat("gen.model", "sqlite", "book", "title:strng"),
    answer: `Error [E_GENERATE_FIELD]: The field "title:strng" cannot be generated: "strng" is neither a type nor a model of this project. Did you mean "string"? Types: string, text, int, float, decimal, bool, date, datetime, uuid, json, oneOf, many.`,
  },
  {
    mistake: "A generator would overwrite files",
    run: limmat("gen.job", "send_digest"),
    answer: `Error [E_GENERATE_EXISTS]: No file was written, because these files already exist:
  app/job/send-digest.ts
  test/send-digest-job.test.ts
Choose another name, or overwrite the files with --force.`,
  },
  {
    mistake: "Node is too old",
    run: ["--import", newNode, ...limmat("server")],
    answer: `limmat needs Node 24.15 or newer, and this is 22.1.0. The project installs one: run "npm install" once, and then "npm run app" instead.`,
  },
  {
    mistake: "A test leaves rows",
    edits: [{ file: "test/rows.test.ts", to: leavesRows }],
    run: ["--test", `--test-reporter=${messageReporter}`, "test/rows.test.ts"],
    variables: { FRAMEWORK_ENV: "test" },
    answer: `The tests of test/rows.test.ts have left rows in the database: notes (1). Run each test in rolledBack, or call Cleaner.cleanAll() at its end.`,
  },
];
