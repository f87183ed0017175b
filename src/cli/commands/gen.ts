import { Command } from "../../core/index.ts";

type Run = (args: readonly string[], output: Command.Output) => Command.Done | undefined;

// What generators are made of is read only when one runs, so that all other commands start as fast as without.
const generator = (
  name: string,
  usage: string,
  description: string,
  load: () => Promise<Run>,
  details?: string,
): Command.Command =>
  Command.make({
    name: `gen.${name}`,
    usage: `${usage} [--dry-run] [--force]`,
    description,
    ...(details === undefined ? {} : { details }),
    run: async (args, { output }) => (await load())(args, output),
  });

const fields = `A field is <name>:<type>, with "?" behind it if it is optional, and ":unique" or ":index" behind that:
  string, text, int, float, decimal, bool, date, datetime, uuid, json, enum(a|b), reference(model)`;

const example = (command: string): string =>
  `${fields}\n\nFor example:\n  ${command} book title:string:index 'summary:text?' 'status:enum(draft|published)'`;

const migrations = `The name says what it does:
  add_rank_to_notes place:int       adds columns
  remove_rank_from_notes place:int  takes them away
  create_labels name:string         makes a table
  drop_labels                       drops it
  count_notes, or another           is empty, for SQL of your own

${fields}`;

const accounts = `Pages on top of the services for users, tokens, mails and password reset, which bring their tables: registration,
log-in and log-out, a new password, the devices that are logged in, and a link by mail for a forgotten password.
--wire adds the services to service/service.ts and run/run.ts, the routes to routes/routes.ts, and a link to the layout.`;

const model = "<model_name> <field:type>... [--plural=<name>]";

/** The generators: `gen.model` and its siblings. */
export const generators: readonly Command.Command[] = [
  generator(
    "model",
    `<database> ${model} [--wire]`,
    "Writes a model: entity, repository, service, migration and tests",
    async () => (await import("../gen/model.ts")).genModel,
    example("gen.model sqlite"),
  ),
  generator(
    "view",
    model,
    "Writes the pages of a model",
    async () => (await import("../gen/view.ts")).genView,
    example("gen.view"),
  ),
  generator(
    "html",
    `<database> ${model} [--wire] [--no-model]`,
    "Writes a model, its pages and their tests; --wire adds the route and the migration as well",
    async () => (await import("../gen/html.ts")).genHtml,
    example("gen.html sqlite"),
  ),
  generator(
    "json",
    `<database> ${model} [--wire] [--no-model]`,
    "Writes a model and the tests of its JSON; --wire adds the route and the migration as well",
    async () => (await import("../gen/json.ts")).genJson,
    example("gen.json sqlite"),
  ),
  generator(
    "auth",
    "[--wire]",
    "Writes accounts: registration, log-in, an account page, a forgotten password, and tests; --wire adds the services",
    async () => (await import("../gen/auth.ts")).genAuth,
    accounts,
  ),
  generator(
    "migration",
    "<migration_name> [<table>] [<field:type>...] [--wire]",
    "Writes a migration: add_…_to_notes, remove_…_from_notes, create_notes, drop_notes, or an empty one",
    async () => (await import("../gen/migration.ts")).genMigration,
    migrations,
  ),
  generator(
    "command",
    "<command_name> [--wire]",
    "Writes a command and its test",
    async () => (await import("../gen/command.ts")).genCommand,
  ),
  generator(
    "job",
    "<job_name> [--wire]",
    "Writes a job for the queue and its test; --wire adds the queue as well",
    async () => (await import("../gen/job.ts")).genJob,
  ),
  generator(
    "schedule",
    "<schedule_name> [--wire]",
    "Writes a schedule and its test",
    async () => (await import("../gen/schedule.ts")).genSchedule,
  ),
  generator(
    "middleware",
    "<middleware_name>",
    "Writes a middleware and its test",
    async () => (await import("../gen/middleware.ts")).genMiddleware,
  ),
  generator(
    "service",
    "<service_name> [--wire]",
    "Writes a service and its test",
    async () => (await import("../gen/service.ts")).genService,
  ),
];
