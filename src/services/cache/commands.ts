import { Command } from "../../core/index.ts";
import type { Cache } from "./contract.ts";

/** The commands of a cache: `cache.clear`, `cache.delete` and `cache.purge`. */
export function commandsOf(name: string, cache: () => Cache): readonly Command.Command[] {
  const dependencies = (): readonly Cache[] => [cache()];
  return [
    Command.make({
      name: `${name}.clear`,
      usage: "[<prefix>]",
      description: "Removes all values from the cache, or those whose keys begin with a prefix",
      details:
        "Locks and quotas stay. What the application keeps in the cache alone, such as data of sessions, is lost.",
      dependencies,
      run: async ([prefix, ...others], { output }) => {
        if (others.length > 0 || prefix?.startsWith("--") === true) return undefined;
        output.print(`Removed ${count(await cache().clear(prefix === undefined ? {} : { prefix }))}.`);
        return Command.done;
      },
    }),
    Command.make({
      name: `${name}.delete`,
      usage: "<key>",
      description: "Removes one value from the cache",
      dependencies,
      run: async ([key, ...others], { output }) => {
        if (key === undefined || others.length > 0) return undefined;
        output.print((await cache().delete(key)) ? "Removed." : "There was no such entry.");
        return Command.done;
      },
    }),
    Command.make({
      name: `${name}.purge`,
      description: "Frees the space of what is over in the cache; the application does it every five minutes by itself",
      dependencies,
      run: async (args, { output }) => {
        if (args.length > 0) return undefined;
        output.print(`Removed ${count(await cache().purge())}.`);
        return Command.done;
      },
    }),
  ];
}

const count = (entries: number): string => (entries === 1 ? "1 entry" : `${entries} entries`);
