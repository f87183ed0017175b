import { Command, lazy } from "../core/index.ts";
import { ConfigurationInternals } from "../config/index.ts";
import type { TextSources } from "./tools.ts";

// Few processes run a command, so the code loads on demand (docs/decisions/017).
const loadTools = lazy(() => import("./tools.ts"));

/** Returns the commands of the languages of an application. */
export function languageCommands(sources: TextSources): readonly Command.Command[] {
  return [
    Command.make({
      name: "language.check",
      description: "Finds texts that cannot be formatted, are not translated, or are not used",
      details:
        "Fails if a text cannot be parsed, is missing, or has other placeholders than that of the base language.",
      run: async (args, { output }) => {
        if (args.length > 0) return undefined;
        (await loadTools()).check(sources, ConfigurationInternals.root(), output);
        return Command.done;
      },
    }),
    Command.make({
      name: "language.export",
      usage: "<language>",
      description: "Prints the texts of a language as JSON, beside those of the base language, for translators",
      run: async ([language, ...extraArguments], { output }) => {
        if (extraArguments.length > 0 || !isTag(language)) return undefined;
        output.print((await loadTools()).exportTexts(sources, language));
        return Command.done;
      },
    }),
    Command.make({
      name: "language.import",
      usage: "<language> <file>",
      description: "Writes language/<language>.ts from the JSON file of a translator",
      details:
        "Refuses a text that cannot be parsed, has other placeholders than that of the base language, or is unknown.",
      run: async ([language, file, ...extraArguments], { output }) => {
        if (file === undefined || extraArguments.length > 0 || !isTag(language)) return undefined;
        (await loadTools()).importTexts(sources, language, file, ConfigurationInternals.root(), output);
        return Command.done;
      },
    }),
  ];
}

const isTag = (language: string | undefined): language is string =>
  language !== undefined && /^[a-z]{2,8}(?:-[a-z\d]{1,8})*$/i.test(language);
