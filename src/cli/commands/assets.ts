import { Command } from "../../core/index.ts";

/** Command `assets`, which bundles the sources of `resources` for production. */
export const assets: Command.Command = Command.make({
  name: "assets",
  description: "Bundles the TypeScript and CSS files of resources into public/built, for production",
  run: async (args, { output }) => {
    if (args.length > 0) return undefined;
    // Imported on demand, so that all other commands start faster.
    const { writeAssets } = await import("../../development/index.ts");
    await writeAssets(output);
    return Command.done;
  },
});
