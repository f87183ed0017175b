import type { Command } from "../../core/index.ts";
import { generate, parseArguments } from "./generate.ts";
import { requireTargets } from "./model-files.ts";
import { parseModel } from "./parse-model.ts";
import { projectRoot } from "./project.ts";
import { viewFiles } from "./view-files.ts";

/** The command `gen.view`; throws the errors of the generators. */
export function genView(args: readonly string[], output: Command.Output): Command.Done | undefined {
  const { rest, ...flags } = parseArguments(args, ["plural"]);
  const [name, ...fields] = rest;
  if (name === undefined || fields.length === 0) return undefined;
  const root = projectRoot();
  const model = parseModel(name, fields, flags.plural);
  requireTargets(model, root);
  return generate(root, { files: viewFiles(model), edits: [] }, flags, output);
}
