import { Command } from "../../core/index.ts";

type RunGenerator = (args: readonly string[], output: Command.Output) => Command.Done | undefined;

// Generators are imported on demand, so that all other commands start faster.
const makeGenerator = (
  name: string,
  usage: string,
  description: string,
  load: () => Promise<RunGenerator>,
  details?: string,
): Command.Command =>
  Command.make({
    name: `gen.${name}`,
    usage: `${usage} [--dry-run] [--force]`,
    description,
    ...(details === undefined ? {} : { details }),
    run: async (args, { output }) => (await load())(args, output),
  });

const fieldsHelp = `A field is <name>:<type>, followed by "?" if it is optional, then by ":unique" or ":index":
  string, text, int, float, decimal, bool, date, datetime, uuid, json, oneOf(a,b)
A relation has the name of a model as its type, or many(model). "user" is a user of gen.auth.`;

const modelHelp = (command: string): string => `${fieldsHelp}
--in=<model> nests the entries below an entry of another model: /projects/:project/issues.
--owner shows entries to the user who created them, --members to members: of the parent, or else of each entry.

For example:
  ${command} issue title:string 'state:oneOf(open,closed)' 'assignee:user?' 'labels:many(label)' --in project --owner --members`;

const migrationHelp = `The name determines the migration:
  add_rank_to_notes place:int       adds columns
  remove_rank_from_notes place:int  drops columns
  create_labels name:string         creates a table
  drop_labels                       drops a table
  any other name (count_notes)      is empty, for your own SQL

${fieldsHelp}`;

const authHelp = `Writes pages for registration, login and logout, changing the password, the list of active sessions, and resetting a
forgotten password by e-mail. They build on the services for users, tokens, e-mail and password reset, which bring their tables.
--wire adds the services to service/service.ts and run/run.ts, the routes to routes/routes.ts, and a link to the layout.`;

const undoHelp = `A file that has changed since is not removed: then nothing is undone. Edits of existing files are taken back line by line, so
that changes of other lines stay. The last 20 runs can be undone, one by one.`;

const modelUsage = "<model_name> <field:type>... [--plural=<name>] [--in=<model>] [--owner] [--members]";

/** Commands of the generators: `gen.model`, `gen.view` and others. */
export const generators: readonly Command.Command[] = [
  makeGenerator(
    "model",
    `<database> ${modelUsage} [--wire]`,
    "Writes a model: entity with its table, service, migration and tests",
    async () => (await import("../gen/model.ts")).genModel,
    modelHelp("gen.model sqlite"),
  ),
  makeGenerator(
    "view",
    modelUsage,
    "Writes the pages of a model",
    async () => (await import("../gen/view.ts")).genView,
    modelHelp("gen.view"),
  ),
  makeGenerator(
    "html",
    `<database> ${modelUsage} [--wire] [--no-model]`,
    "Writes a model, its pages and their tests; --wire also adds the route and the migration",
    async () => (await import("../gen/html.ts")).genHtml,
    modelHelp("gen.html sqlite"),
  ),
  makeGenerator(
    "json",
    `<database> ${modelUsage} [--wire] [--no-model]`,
    "Writes a model and the tests of its JSON API; --wire also adds the route and the migration",
    async () => (await import("../gen/json.ts")).genJson,
    modelHelp("gen.json sqlite"),
  ),
  makeGenerator(
    "auth",
    "[--wire]",
    "Writes accounts: registration, login, account page, password reset, and tests; --wire adds the services",
    async () => (await import("../gen/auth.ts")).genAuth,
    authHelp,
  ),
  makeGenerator(
    "migration",
    "<migration_name> [<table>] [<field:type>...] [--wire]",
    "Writes a migration: add_…_to_notes, remove_…_from_notes, create_notes, drop_notes, or an empty one",
    async () => (await import("../gen/migration.ts")).genMigration,
    migrationHelp,
  ),
  makeGenerator(
    "command",
    "<command_name> [--wire]",
    "Writes a command and its test",
    async () => (await import("../gen/command.ts")).genCommand,
  ),
  makeGenerator(
    "job",
    "<job_name> [--wire]",
    "Writes a job for the queue and its test; --wire also adds the queue",
    async () => (await import("../gen/job.ts")).genJob,
  ),
  makeGenerator(
    "schedule",
    "<schedule_name> [--wire]",
    "Writes a schedule and its test",
    async () => (await import("../gen/schedule.ts")).genSchedule,
  ),
  makeGenerator(
    "middleware",
    "<middleware_name> [--wire]",
    "Writes a middleware and its test; --wire adds it to the HTTP service",
    async () => (await import("../gen/middleware.ts")).genMiddleware,
  ),
  makeGenerator(
    "service",
    "<service_name> [--wire]",
    "Writes a service and its test",
    async () => (await import("../gen/service.ts")).genService,
  ),
  Command.make({
    name: "gen.undo",
    usage: "[--dry-run]",
    description: "Undoes the last run of a generator: removes its files and takes its edits back",
    details: undoHelp,
    run: async (args, { output }) => (await import("../gen/undo.ts")).genUndo(args, output),
  }),
];
