import { Command } from "../../core/index.ts";
import type { Cache } from "./contract.ts";

/** Returns the commands of a cache: `cache.clear`, `cache.delete` and `cache.purge`. */
export function cacheCommands(name: string, cache: () => Cache): readonly Command.Command[] {
  const dependencies = (): readonly Cache[] => [cache()];
  return [
    Command.make({
      name: `${name}.clear`,
      usage: "[<prefix>]",
      description: "Removes all values from the cache, or the values whose keys begin with a prefix",
      details: "Keeps locks and rate limits. Data that the application stores only in the cache is lost.",
      dependencies,
      run: async ([prefix, ...extraArguments], { output }) => {
        if (extraArguments.length > 0 || prefix?.startsWith("--") === true) return undefined;
        output.print(`Removed ${formatEntryCount(await cache().clear(prefix === undefined ? {} : { prefix }))}.`);
        return Command.done;
      },
    }),
    Command.make({
      name: `${name}.delete`,
      usage: "<key>",
      description: "Removes one value from the cache",
      dependencies,
      run: async ([key, ...extraArguments], { output }) => {
        if (key === undefined || extraArguments.length > 0) return undefined;
        output.print((await cache().delete(key)) ? "Removed." : "There was no such entry.");
        return Command.done;
      },
    }),
    Command.make({
      name: `${name}.purge`,
      description: "Deletes expired entries of the cache; the application does so every five minutes",
      dependencies,
      run: async (args, { output }) => {
        if (args.length > 0) return undefined;
        output.print(`Removed ${formatEntryCount(await cache().purge())}.`);
        return Command.done;
      },
    }),
  ];
}

const formatEntryCount = (count: number): string => (count === 1 ? "1 entry" : `${count} entries`);
