import { Command } from "../../core/index.ts";

type Run = (args: readonly string[], output: Command.Output) => Command.Done | undefined;

// What generators are made of is read only when one runs, so that all other commands start as fast as without.
const generator = (name: string, usage: string, description: string, load: () => Promise<Run>): Command.Command =>
  Command.make({
    name: `gen.${name}`,
    usage: `${usage} [--dry-run] [--force]`,
    description,
    run: async (args, { output }) => (await load())(args, output),
  });

const model = "<model_name> <field:type>... [--plural=<name>]";

/** The generators: `gen.model` and its siblings. */
export const generators: readonly Command.Command[] = [
  generator(
    "model",
    `<database> ${model} [--wire]`,
    "Writes a model: entity, repository, service, migration and tests",
    async () => (await import("../gen/model.ts")).genModel,
  ),
  generator("view", model, "Writes the pages of a model", async () => (await import("../gen/view.ts")).genView),
  generator(
    "html",
    `<database> ${model} [--wire] [--no-model]`,
    "Writes a model, its pages and their tests; --wire adds the route and the migration as well",
    async () => (await import("../gen/html.ts")).genHtml,
  ),
  generator(
    "json",
    `<database> ${model} [--wire] [--no-model]`,
    "Writes a model and the tests of its JSON; --wire adds the route and the migration as well",
    async () => (await import("../gen/json.ts")).genJson,
  ),
  generator(
    "migration",
    "<migration_name> [<table>] [<field:type>...] [--wire]",
    "Writes a migration: add_…_to_notes, remove_…_from_notes, create_notes, drop_notes, or an empty one",
    async () => (await import("../gen/migration.ts")).genMigration,
  ),
  generator(
    "command",
    "<command_name> [--wire]",
    "Writes a command and its test",
    async () => (await import("../gen/command.ts")).genCommand,
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
