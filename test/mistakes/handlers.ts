// Usual mistakes in a handler, and what the development server answers: a list for people, and the data of a test.

/** Mistake in a handler. */
export interface HandlerMistake {
  readonly mistake: string;
  /** Text of `web/handler/mistake-<number>.ts`, whose handler answers `/mistakes/<number>`. */
  readonly handler: string;
  /** Fields of a form, or text of a JSON body, that a program sends. Default: a browser opens the page. */
  readonly post?: Readonly<Record<string, string>> | string;
  /** Page in the browser, or response of the program: the error, its lines in the project, and what to do. */
  readonly answer: string;
}

/** All mistakes in handlers. */
export const handlerMistakes: readonly HandlerMistake[] = [
  {
    mistake: "A handler with braces has no return",
    handler: `
import { Response } from "limmat/web";

export const handler = () => {
  Response.text("Hello");
};`,
    answer: `E_RESPONSE_MISSING
The handler handler of GET /mistakes/1, or one of its middlewares, returned undefined instead of a response. Is a \`return\` missing? Return a Web.Response or a Fetch API Response.
The stack has no line of the project. The request ran the handler handler of the route GET /mistakes/1, which this line declares.
  at routes/mistakes.ts:38:7
> 38 | Web.get("/mistakes/1", handler1, { middlewares: Web.Middleware.site() }),`,
  },
  {
    mistake: "A handler returns a text",
    handler: `
export const handler = () => "<h1>Hello</h1>";`,
    answer: `E_RESPONSE_MISSING
The handler handler of GET /mistakes/2, or one of its middlewares, returned a value of type string instead of a response. Return a Web.Response or a Fetch API Response.
The stack has no line of the project. The request ran the handler handler of the route GET /mistakes/2, which this line declares.
  at routes/mistakes.ts:39:7
> 39 | Web.get("/mistakes/2", handler2, { middlewares: Web.Middleware.site() }),`,
  },
  {
    mistake: "A promise is printed in a page",
    handler: `
import { html } from "limmat/html";
import { Response } from "limmat/web";
import * as Greeting from "../../app/domain/greeting/greeting.ts";

const title = async () => (await Greeting.random())?.text;
export const handler = () => Response.html(html\`<h1>\${title()}</h1>\`);`,
    answer: `E_HTML_VALUE
An html template cannot print a promise. Await it first, or use html.stream, which awaits its values.
  at web/handler/mistake-3.ts:6:48
> 6 | export const handler = () => Response.html(html\`<h1>\${title()}</h1>\`);`,
  },
  {
    mistake: "A row is read without await",
    handler: `
import { Response } from "limmat/web";
import * as Note from "../../app/domain/note/note.ts";

export const handler = async () => {
  const note = Note.find("01900000-0000-7000-8000-000000000000");
  return Response.text(note.title);
};`,
    answer: `TypeError
Response.text got undefined instead of a string. Response.json sends other values. Is an \`await\` missing?
  at web/handler/mistake-4.ts:6:19
> 6 | return Response.text(note.title);`,
  },
  {
    mistake: "A promise is sent as JSON",
    handler: `
import { Response } from "limmat/web";
import * as Note from "../../app/domain/note/note.ts";

export const handler = () => Response.json(Note.search());`,
    answer: `TypeError
JSON cannot represent a promise. Await it first.
  at web/handler/mistake-5.ts:4:39
> 4 | export const handler = () => Response.json(Note.search());`,
  },
  {
    mistake: "A row that may be missing is used",
    handler: `
import { Response } from "limmat/web";
import * as Note from "../../app/domain/note/note.ts";

export const handler = async () => {
  const note = await Note.find("01900000-0000-7000-8000-000000000000");
  return Response.text(note!.title);
};`,
    answer: `TypeError
Cannot read properties of undefined (reading 'title')
  at web/handler/mistake-6.ts:6:30
> 6 | return Response.text(note!.title);`,
  },
  {
    mistake: "A row that must exist is missing",
    handler: `
import { Response } from "limmat/web";
import { notes } from "../../app/domain/note/repository.ts";
import { database } from "../../service/service.ts";

export const handler = async () => {
  const note = await notes.find(database, "01900000-0000-7000-8000-000000000000");
  return Response.text(note.title);
};`,
    answer: `E_DATABASE_NO_ROW
The table "notes" has no row with this id or condition. If the row can be missing, use "findOpt" instead of "find".
select "id", "title", "body", "created_at", "updated_at", "version" from "notes" where ("id" = ?) limit 2
  at web/handler/mistake-7.ts:6:16
> 6 | const note = await notes.find(database, "01900000-0000-7000-8000-000000000000");`,
  },
  {
    mistake: "A text is sent as HTML",
    handler: `
import { Response } from "limmat/web";

export const handler = () => Response.html("<h1>Hello</h1>");`,
    answer: `E_HTML_UNSAFE
Response.html received a value of type string that is not the result of html\`...\`. Write the page with html\`…\`, which escapes its values.
  at web/handler/mistake-8.ts:3:39
> 3 | export const handler = () => Response.html("<h1>Hello</h1>");`,
  },
  {
    mistake: "An object is printed in a page",
    handler: `
import { html } from "limmat/html";
import { Response } from "limmat/web";

export const handler = () => Response.html(html\`<p>\${{ name: "Ada" }}</p>\`);`,
    answer: `E_HTML_VALUE
An html template cannot print an object. Give a text, a number, HTML, or a list of these. Print data in a script with json(…).
  at web/handler/mistake-9.ts:4:48
> 4 | export const handler = () => Response.html(html\`<p>\${{ name: "Ada" }}</p>\`);`,
  },
  {
    mistake: "An attribute has no quotes",
    handler: `
import { html } from "limmat/html";
import { Response } from "limmat/web";

export const handler = () => Response.html(html\`<a href=\${"/notes"}>Notes</a>\`);`,
    answer: `E_HTML_POSITION
Quote the value: href="\${…}", or write ?href=\${…} for an optional attribute. This is about the value after "<a href=" in an html template.
  at web/handler/mistake-10.ts:4:48
> 4 | export const handler = () => Response.html(html\`<a href=\${"/notes"}>Notes</a>\`);`,
  },
  {
    mistake: "An object is sent as text",
    handler: `
import { Response } from "limmat/web";

export const handler = () => Response.text({ name: "Ada" });`,
    answer: `TypeError
Response.text got a value of type object instead of a string. Response.json sends other values.
  at web/handler/mistake-11.ts:3:39
> 3 | export const handler = () => Response.text({ name: "Ada" });`,
  },
  {
    mistake: "A status is no HTTP status",
    handler: `
import { Response } from "limmat/web";

export const handler = () => Response.text("Hello", { status: 20 });`,
    answer: `E_STATUS_INVALID
20 is not a status of a final response. Use an integer from 200 to 599.
  at web/handler/mistake-12.ts:3:39
> 3 | export const handler = () => Response.text("Hello", { status: 20 });`,
  },
  {
    mistake: "A redirect leaves the site",
    handler: `
import { Response } from "limmat/web";

export const handler = () => Response.redirect("https://example.com/");`,
    answer: `E_REDIRECT_EXTERNAL
The redirect to "https://example.com/" leaves this site. Use a path that begins with one slash. If the target does not come from a request, an http or https URL with { external: true } is allowed as well.
  at web/handler/mistake-13.ts:3:39
> 3 | export const handler = () => Response.redirect("https://example.com/");`,
  },
  {
    mistake: "The name of an asset is misspelt",
    handler: `
import { html } from "limmat/html";
import { asset, Response } from "limmat/web";

export const handler = () => Response.html(html\`<link rel="stylesheet" href="\${asset("ap.css")}">\`);`,
    answer: `E_ASSET_MISSING
There is no file "<root>/public/ap.css". Did you mean "app.css"? Otherwise add the file, or correct PUBLIC_DIR or the name.
  at web/handler/mistake-14.ts:4:80
> 4 | export const handler = () => Response.html(html\`<link rel="stylesheet" href="\${asset("ap.css")}">\`);`,
  },
  {
    mistake: "A link names a route that does not exist",
    handler: `
import { link, type Request, Response } from "limmat/web";

export const handler = (request: Request) => Response.redirect(link(request, "notes.shw", { id: "1" }));`,
    answer: `E_LINK_UNKNOWN
No route has the name "notes.shw". Did you mean "notes.show"? Route names: notes.index, notes.create, notes.new, notes.show, notes.edit, notes.update, notes.destroy, passwordReset, passwordReset.sent, passwordReset.new, passwordReset.done, email.inbox, email.inbox.mail, email.inbox.page, email.inbox.attachment.
  at web/handler/mistake-15.ts:3:64
> 3 | export const handler = (request: Request) => Response.redirect(link(request, "notes.shw", { id: "1" }));`,
  },
  {
    mistake: "A link lacks a parameter of its route",
    handler: `
import { link, type Request, Response } from "limmat/web";

export const handler = (request: Request) => Response.redirect(link(request, "notes.show"));`,
    answer: `E_LINK_PARAMETER
The link to "notes.show" needs the parameter "id": text that is not empty and fits into one path segment.
  at web/handler/mistake-16.ts:3:64
> 3 | export const handler = (request: Request) => Response.redirect(link(request, "notes.show"));`,
  },
  {
    mistake: "A form of its own has no CSRF field",
    handler: `
import { Response } from "limmat/web";

export const handler = () => Response.text("Added");`,
    post: { title: "Tea" },
    answer: `403
Not allowed
This form could not be checked, so nothing was changed. Go back, reload the page and send it again. The check refused the request because its session has no token. A form sends Web.Csrf.find(request) in a hidden input named "csrf", a script sends it in the header X-CSRF-Token.
WARNING A request was refused by the CSRF check: its session has no token`,
  },
  {
    mistake: "A client sends malformed JSON",
    handler: `
import { type Request, Response } from "limmat/web";

export const handler = async (request: Request) => Response.json(await request.json());`,
    post: "{title: 1}",
    answer: `The request body is not valid JSON at line 1, column 2.
INFO The request was answered with 400
The request body is not valid JSON at line 1, column 2.
  at web/handler/mistake-18.ts:3:66`,
  },
  {
    mistake: "A body is read as a form, and the client sends JSON",
    handler: `
import { type Request, Response } from "limmat/web";

export const handler = async (request: Request) => Response.json(await request.form());`,
    post: '{"title": 1}',
    answer: `The request body has the type "application/json". Send it as application/x-www-form-urlencoded.
INFO The request was answered with 415
The request body has the type "application/json". Send it as application/x-www-form-urlencoded.
  at web/handler/mistake-19.ts:3:80`,
  },
  {
    mistake: "A body is read after its stream",
    handler: `
import { text } from "node:stream/consumers";
import { type Request, Response } from "limmat/web";

export const handler = async (request: Request) => {
  await text(request.body);
  return Response.json(await request.json());
};`,
    post: '{"title": 1}',
    answer: `The request body was already read as a stream. Use either \`body\`, or text(), json(), bytes() and form().
  at handler web/handler/mistake-20.ts:6:38`,
  },
  {
    mistake: "A column of a statement is misspelt",
    handler: `
import { Row, sql } from "limmat/database";
import { Response } from "limmat/web";
import { database } from "../../service/service.ts";

const row = Row.record({ title: Row.text });
export const handler = async () => Response.json(await database.collect(sql.row(row)\`select titel as title from notes\`));`,
    answer: `E_DATABASE_STATEMENT
The database refused a statement: no such column: titel. Check the name of the column, and run the command "migrate" if a migration adds it.
select titel as title from notes
  at web/handler/mistake-21.ts:6:65
> 6 | export const handler = async () => Response.json(await database.collect(sql.row(row)\`select titel as title from notes\`));`,
  },
  {
    mistake: "A table of a statement is misspelt",
    handler: `
import { Row, sql } from "limmat/database";
import { Response } from "limmat/web";
import { database } from "../../service/service.ts";

const row = Row.record({ title: Row.text });
export const handler = async () => Response.json(await database.collect(sql.row(row)\`select title from note\`));`,
    answer: `E_DATABASE_NO_TABLE
The database refused a statement: no such table: note. Run the command "migrate", and check that the service of the table is in the application's service list.
select title from note
  at web/handler/mistake-22.ts:6:65
> 6 | export const handler = async () => Response.json(await database.collect(sql.row(row)\`select title from note\`));`,
  },
  {
    mistake: "A value exists already",
    handler: `
import { Response } from "limmat/web";
import { notes } from "../../app/domain/note/repository.ts";
import { database } from "../../service/service.ts";

export const handler = async () => {
  await notes.insert(database, { title: "Tea", body: "Green" });
  await notes.insert(database, { title: "Tea", body: "Black" });
  return Response.redirect("/notes");
};`,
    answer: `409
Not possible now
An entry with this value already exists.
INFO The request was answered with 409
An entry with this value already exists.
  at web/handler/mistake-23.ts:7:15`,
  },
  {
    mistake: "A column that must be set is empty",
    handler: `
import { sql } from "limmat/database";
import { Response } from "limmat/web";
import { database } from "../../service/service.ts";

export const handler = async () => {
  await database.exec(sql\`insert into greetings (id, text) values ('01900000-0000-7000-8000-000000000000', 'Hello')\`);
  return Response.redirect("/");
};`,
    answer: `E_DATABASE_NOT_NULL
A required column has no value: NOT NULL constraint failed: greetings.created_at. Set it, or make the column optional by a migration.
  at web/handler/mistake-24.ts:6:18
> 6 | await database.exec(sql\`insert into greetings (id, text) values ('01900000-0000-7000-8000-000000000000', 'Hello')\`);`,
  },
  {
    mistake: "A transaction is used after its end",
    handler: `
import { type Connection } from "limmat/database";
import { Response } from "limmat/web";
import { notes } from "../../app/domain/note/repository.ts";
import { database } from "../../service/service.ts";

export const handler = async () => {
  const transaction = await database.transaction(async (connection: Connection) => connection);
  return Response.json(await notes.collect(transaction));
};`,
    answer: `E_DATABASE_HANDLE_ENDED
This transaction or connection has ended, or one around it, because its callback has returned or failed or its time has passed. Wait with await for all code that uses it.
select "id", "title", "body", "created_at", "updated_at", "version" from "notes" order by "id" asc
  at web/handler/mistake-25.ts:8:36
> 8 | return Response.json(await notes.collect(transaction));`,
  },
  {
    mistake: "A job is dispatched that is not registered",
    handler: `
import { Queue, Schema } from "limmat";
import { Response } from "limmat/web";
import { queue } from "../../service/service.ts";

const sendReport = Queue.job({ name: "send_report", input: Schema.record({}), handle: () => {} });
export const handler = async () => {
  await queue.dispatch(sendReport, {});
  return Response.text("Sent");
};`,
    answer: `Sent
WARNING The job "send_report" is dispatched in web/handler/mistake-26.ts:7 but not registered: it waits for a process that registers it. Add it to the jobs of the queue in service/service.ts:17, or list the service that registers it`,
  },
  {
    mistake: "The input of a job is wrong",
    handler: `
import { Response } from "limmat/web";
import { sendDigest } from "../../app/job/send-digest.ts";
import { queue } from "../../service/service.ts";

export const handler = async () => Response.text(await queue.dispatch(sendDigest, { nam: "Ada" }));`,
    answer: `422
Please check what you entered
The input of the job "send_digest" is invalid: name: Please fill this in
INFO The request was answered with 422
The input of the job "send_digest" is invalid: name: Please fill this in
  at web/handler/mistake-27.ts:5:50`,
  },
  {
    mistake: "A session is too large for its cookie",
    handler: `
import { Response, Session } from "limmat/web";

export const handler = () => Session.set([["cart", "x".repeat(5000)]], Response.text("Added"));`,
    answer: `E_SESSION_TOO_LARGE
The session does not fit into a cookie of 4096 bytes with name and signature, which leaves 2,900 bytes of content. Keep the data in the database or the cache, and only a reference in the session.
The stack has no line of the project. The request ran the handler handler of the route GET /mistakes/28, which this line declares.
  at routes/mistakes.ts:65:7
> 65 | Web.get("/mistakes/28", handler28, { middlewares: Web.Middleware.site() }),`,
  },
  {
    mistake: "A page asks for the user, and no middleware loads it",
    handler: `
import { User } from "limmat";
import { type Request, Response } from "limmat/web";

export const handler = (request: Request) => Response.text(User.Web.current(request)?.name ?? "Guest");`,
    answer: `E_USER_MIDDLEWARE
This route has no current user. Add User.Web.middleware(user), or User.Web.userFromToken(user, …), to its router.
  at web/handler/mistake-29.ts:4:69
> 4 | export const handler = (request: Request) => Response.text(User.Web.current(request)?.name ?? "Guest");`,
  },
  {
    mistake: "A text is thrown",
    handler: `
export const handler = () => {
  throw "no greeting";
};`,
    answer: `thrown string
'no greeting'
Throw an Error: throw new Error(…). Only an error contains the line that throws it.
The stack has no line of the project. The request ran the handler handler of the route GET /mistakes/30, which this line declares.
  at routes/mistakes.ts:67:7
> 67 | Web.get("/mistakes/30", handler30, { middlewares: Web.Middleware.site() }),`,
  },
  {
    mistake: "A database is used that is not listed",
    handler: `
import { sql } from "limmat/database";
import { sqlite } from "limmat/database/sqlite";
import { Response } from "limmat/web";

const reports = sqlite({ name: "reports", url: ":memory:" });
export const handler = async () => Response.json(await reports.collect(sql\`select 1\`));`,
    answer: `E_DATABASE_NOT_STARTED
The database "reports" in web/handler/mistake-31.ts:5 is not started. Add it to the application's service list, or to the command's dependencies.
  at web/handler/mistake-31.ts:6:64
> 6 | export const handler = async () => Response.json(await reports.collect(sql\`select 1\`));`,
  },
  {
    mistake: "A cache is used that is not listed",
    handler: `
import { redis } from "limmat/cache/redis";
import { Response } from "limmat/web";

const cache = redis();
export const handler = async () => Response.text((await cache.findOpt("greeting")) ?? "Hello");`,
    answer: `E_CACHE_NOT_STARTED
The cache "cache" in web/handler/mistake-32.ts:4 is not started. Add it to the application's service list or to the command's dependencies.
  at web/handler/mistake-32.ts:5:63
> 5 | export const handler = async () => Response.text((await cache.findOpt("greeting")) ?? "Hello");`,
  },
  {
    mistake: "A mail is sent by a service that is not listed",
    handler: `
import { smtp } from "limmat/email/smtp";
import { Response } from "limmat/web";

const email = smtp({ name: "reports" });
export const handler = async () => {
  await email.send({ recipient: "ada@example.com", subject: "Report", text: "All is well" });
  return Response.text("Sent");
};`,
    answer: `E_EMAIL_NOT_STARTED
The e-mail service "reports" in web/handler/mistake-33.ts:4 is not started. Add it to the application's service list or to the command's dependencies.
  at web/handler/mistake-33.ts:6:3
> 6 | await email.send({ recipient: "ada@example.com", subject: "Report", text: "All is well" });`,
  },
  {
    mistake: "A job is dispatched to a queue that is not listed",
    handler: `
import { Queue } from "limmat";
import { Response } from "limmat/web";
import { sendDigest } from "../../app/job/send-digest.ts";

const queue = Queue.memory({ jobs: () => [sendDigest] });
export const handler = async () => {
  await queue.dispatch(sendDigest, { name: "Ada" });
  return Response.text("Sent");
};`,
    answer: `Sent
WARNING The job "send_digest" is dispatched in web/handler/mistake-34.ts:7 but not registered: it waits for a process that registers it. The queue in web/handler/mistake-34.ts:5 is not started: add it to the application's service list or to the command's dependencies`,
  },
  {
    mistake: "A promise that nobody awaits is rejected",
    handler: `
import { Response } from "limmat/web";
import * as Greeting from "../../app/domain/greeting/greeting.ts";

const notify = async () => {
  await Greeting.random();
  throw new Error("The mail server is down");
};
export const handler = () => {
  void notify();
  return Response.text("Sent");
};`,
    answer: `Sent
ERROR Uncaught error
The mail server is down
  at web/handler/mistake-35.ts:6:9`,
  },
];

/** What the type check answers to these handlers, before a request: first lines, sorted. */
export const typeErrors: string = `
routes/mistakes.ts(38,26): error TS2345: Argument of type '() => void' is not assignable to parameter of type 'Handler<{}>'.
routes/mistakes.ts(39,26): error TS2345: Argument of type '() => string' is not assignable to parameter of type 'Handler<{}>'.
web/handler/mistake-11.ts(3,44): error TS2345: Argument of type '{ name: string; }' is not assignable to parameter of type 'string'.
web/handler/mistake-25.ts(7,50): error TS2345: Argument of type '(connection: Connection) => Promise<Connection>' is not assignable to parameter of type 'TransactionCallback<Connection>'.
web/handler/mistake-25.ts(8,44): error TS2739: Type 'Connection' is missing the following properties from type 'TableDatabase': transaction, find, findOpt, exec, collect
web/handler/mistake-27.ts(5,85): error TS2561: Object literal may only specify known properties, but 'nam' does not exist in type 'Readonly<{ name: string; }>'. Did you mean to write 'name'?
web/handler/mistake-3.ts(6,55): error TS2345: Argument of type 'Promise<string | undefined>' is not assignable to parameter of type 'HtmlValue'.
web/handler/mistake-4.ts(6,29): error TS2339: Property 'title' does not exist on type 'Promise<Note | undefined>'.
web/handler/mistake-8.ts(3,44): error TS2345: Argument of type 'string' is not assignable to parameter of type 'Html | HtmlStream'.
web/handler/mistake-9.ts(4,56): error TS2353: Object literal may only specify known properties, and 'name' does not exist in type 'Html | readonly HtmlValue[] | SafeJson'.
`;
