import { Command, lazy } from "../../core/index.ts";
import type * as Generators from "../../generators/index.ts";

const loadDetails = lazy(() => import("./details.ts"));

type RunGenerator = (args: readonly string[], output: Command.Output) => Command.Done | undefined;

// Generators are imported on demand, so that all other commands start faster.
const makeGenerator = (
  name: string,
  usage: string,
  description: string,
  choose: (generators: typeof Generators) => RunGenerator,
  details?: () => Promise<string>,
): Command.Command =>
  Command.make({
    name: `gen.${name}`,
    usage: `${usage} [--dry-run] [--force]`,
    description,
    ...(details === undefined ? {} : { details }),
    run: async (args, { output }) => choose(await import("../../generators/index.ts"))(args, output),
  });

const modelUsage = "<model_name> <field:type>... [--plural=<name>] [--in=<model>] [--owner] [--members]";

/** Commands of the generators: `gen.model`, `gen.view` and others. */
export const generators: readonly Command.Command[] = [
  makeGenerator(
    "model",
    `[<database>] ${modelUsage} [--wire]`,
    "Writes a model: entity, repository with its table, service, migration and tests",
    ({ genModel }) => genModel,
    async () => (await loadDetails()).modelDetails("gen.model", ["--no-model"]),
  ),
  makeGenerator(
    "view",
    modelUsage,
    "Writes the pages of a model",
    ({ genView }) => genView,
    async () => (await loadDetails()).modelDetails("gen.view", ["--no-model", "--wire"]),
  ),
  makeGenerator(
    "html",
    `[<database>] ${modelUsage} [--wire] [--no-model]`,
    "Writes a model, its pages and their tests; --wire also adds the route and the migration",
    ({ genHtml }) => genHtml,
    async () => (await loadDetails()).modelDetails("gen.html", []),
  ),
  makeGenerator(
    "json",
    `[<database>] ${modelUsage} [--wire] [--no-model]`,
    "Writes a model and the tests of its JSON API; --wire also adds the route and the migration",
    ({ genJson }) => genJson,
    async () => (await loadDetails()).modelDetails("gen.json", []),
  ),
  makeGenerator(
    "auth",
    "[--wire]",
    "Writes accounts: registration, login, account page, password reset, and their tests",
    ({ genAuth }) => genAuth,
    async () => (await loadDetails()).authDetails,
  ),
  makeGenerator(
    "migration",
    "<migration_name> [<table>] [<field:type>...] [--wire]",
    "Writes a migration: add_…_to_notes, remove_…_from_notes, create_notes, drop_notes, or an empty one",
    ({ genMigration }) => genMigration,
    async () => (await loadDetails()).migrationDetails,
  ),
  makeGenerator("command", "<command_name> [--wire]", "Writes a command and its test", ({ genCommand }) => genCommand),
  makeGenerator(
    "job",
    "<job_name> [--wire]",
    "Writes a job for the queue and its test; --wire also adds the queue",
    ({ genJob }) => genJob,
  ),
  makeGenerator(
    "schedule",
    "<schedule_name> [--wire]",
    "Writes a schedule and its test",
    ({ genSchedule }) => genSchedule,
  ),
  makeGenerator(
    "middleware",
    "<middleware_name> [--wire]",
    "Writes a middleware and its test; --wire adds it to the HTTP service",
    ({ genMiddleware }) => genMiddleware,
  ),
  makeGenerator("service", "<service_name> [--wire]", "Writes a service and its test", ({ genService }) => genService),
  Command.make({
    name: "gen.undo",
    usage: "[--dry-run]",
    description: "Undoes the last run of a generator: removes its files and reverts its edits",
    details: async () => (await loadDetails()).undoDetails,
    run: async (args, { output }) => (await import("../../generators/index.ts")).genUndo(args, output),
  }),
];
