import { Command } from "../../core/index.ts";
import type * as Generators from "../../generators/index.ts";
import type * as Details from "./details.ts";

// Generators and details are imported on demand, so that all other commands start faster.
const makeGenerator = (
  generator: Extract<keyof typeof Generators, `gen${string}`>,
  usage: string,
  description: string,
  chooseDetails?: (details: typeof Details) => string,
): Command.Command =>
  Command.make({
    name: `gen.${generator.slice("gen".length).toLowerCase()}`,
    usage: generator === "genUndo" ? usage : `${usage} [--dry-run] [--force]`,
    description,
    ...(chooseDetails && { details: async () => chooseDetails(await import("./details.ts")) }),
    run: async (args, { output }) => (await import("../../generators/index.ts"))[generator](args, output),
  });

const modelUsage = "<model_name> <field:type>... [--plural=<name>] [--in=<model>] [--owner] [--members]";

/** Commands of the generators: `gen.model`, `gen.view` and others. */
export const generators: readonly Command.Command[] = [
  makeGenerator(
    "genModel",
    `[<database>] ${modelUsage} [--wire]`,
    "Writes a model: entity, repository with its table, service, migration and tests",
    ({ modelDetails }) => modelDetails("gen.model", ["--no-model", "--token"]),
  ),
  makeGenerator("genView", modelUsage, "Writes the pages of a model", ({ modelDetails }) =>
    modelDetails("gen.view", ["--no-model", "--token", "--wire"]),
  ),
  makeGenerator(
    "genHtml",
    `[<database>] ${modelUsage} [--wire] [--no-model]`,
    "Writes a model, its pages and their tests; --wire also adds the route and the migration",
    ({ modelDetails }) => modelDetails("gen.html", ["--token"]),
  ),
  makeGenerator(
    "genJson",
    `[<database>] <model_name> <field:type>... [--plural=<name>] [--in=<model>] [--wire] [--no-model] [--token]`,
    "Writes a model and the tests of its JSON API; --wire also adds the route and the migration",
    ({ modelDetails }) => modelDetails("gen.json", ["--owner", "--members"]),
  ),
  makeGenerator(
    "genAuth",
    "[--wire]",
    "Writes accounts: registration, login, account page, password reset, and their tests",
    ({ authDetails }) => authDetails,
  ),
  makeGenerator(
    "genRole",
    "<model_name> <role>... [--plural=<name>] [--wire]",
    "Writes roles of users: their model, a guard for routes, and a command that appoints somebody",
  ),
  makeGenerator(
    "genMigration",
    "<migration_name> [<table>] [<field:type>...] [--wire]",
    "Writes a migration: add_…_to_notes, remove_…_from_notes, create_notes, drop_notes, or an empty one",
    ({ migrationDetails }) => migrationDetails,
  ),
  makeGenerator(
    "genLanguage",
    "<language>... [--wire]",
    "Adds languages to a project. With --wire, also to the application and the layout",
  ),
  makeGenerator("genCommand", "<command_name> [--wire]", "Writes a command and its test"),
  makeGenerator(
    "genJob",
    "<job_name> [<field:type>...] [--wire]",
    "Writes a job for the queue and its test; --wire also adds the queue",
    ({ jobDetails }) => jobDetails,
  ),
  makeGenerator(
    "genMail",
    "<mail_name> [<field:type>...] [--wire]",
    "Writes a mail as HTML and text, its preview and its test; --wire also adds the e-mail service",
    ({ mailDetails }) => mailDetails,
  ),
  makeGenerator("genSchedule", "<schedule_name> [--wire]", "Writes a schedule and its test"),
  makeGenerator(
    "genMiddleware",
    "<middleware_name> [--wire]",
    "Writes a middleware and its test; --wire adds it to the HTTP service",
  ),
  makeGenerator(
    "genWebhook",
    "<webhook_name> [--wire]",
    "Writes the route that receives signed webhooks, and its test; --wire also adds the receiver",
  ),
  makeGenerator(
    "genUpload",
    "<model_name> <image_name> [--wire]",
    "Writes an image of a model with pages: column, routes, form, test; --wire also adds the storage",
  ),
  makeGenerator(
    "genAdmin",
    "<model_name>... [--wire]",
    "Writes pages of models for administrators, and their tests; --wire also adds the routes",
  ),
  makeGenerator("genService", "<service_name> [--wire]", "Writes a service and its test"),
  makeGenerator(
    "genUndo",
    "[--dry-run]",
    "Undoes the last run of a generator: removes its files and reverts its edits",
    ({ undoDetails }) => undoDetails,
  ),
];
