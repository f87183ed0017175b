import { Configuration } from "../../config/index.ts";
import { Command, Service } from "../../core/index.ts";
import { errors } from "./errors.ts";
import { bar } from "./progress.ts";

/** What a seed is given. */
export interface SeedContext {
  /** Tells a person how far it is; shown as a bar where a person looks on. */
  readonly progress: (done: number, total: number) => void;
  /** Aborted when the process is told to end. */
  readonly signal: AbortSignal;
}

/** Fills the database with data to begin with. Write it so that a second run does no harm. */
export type SeedFunction = (context: SeedContext) => Promise<void> | void;

/** What the seed service is made with. */
export interface SeedOptions {
  readonly database: Service.Service;
  /** Seeds by name, in the order in which they run. */
  readonly seeds: Readonly<Record<string, SeedFunction>>;
  /** The services that the seeds use beside the database. */
  readonly dependencies?: () => readonly Service.Service[];
}

/** The seed service. */
export interface SeedService extends Service.Service {
  /**
   * Runs one seed, or all in order, and gives their names.
   *
   * @throws E_SEED_UNKNOWN, E_SEED_PRODUCTION in production without `force`.
   */
  run(name?: string, options?: { readonly force?: boolean }): Promise<readonly string[]>;
  /** The names of the seeds, in order. */
  readonly names: readonly string[];
}

/**
 * Makes the service that fills a database with data to begin with: commands `seed`, `seed list`, `seed run <name>`.
 *
 * @example
 * export const seed = Seed.service({ database, seeds: { demo: async () => void (await Todo.insert(example)) } });
 */
export function service({ database, seeds, dependencies = () => [] }: SeedOptions): SeedService {
  const names = Object.keys(seeds);

  const choose = (name: string | undefined, force: boolean): readonly string[] => {
    if (Configuration.environment() === "production" && !force) throw errors.E_SEED_PRODUCTION();
    if (name !== undefined && !Object.hasOwn(seeds, name)) throw errors.E_SEED_UNKNOWN(name, names);
    return name === undefined ? names : [name];
  };

  const command = Command.make({
    name: "seed",
    usage: "[--force] | list | run <name> [--force]",
    description: "Fills the database with data to begin with",
    dependencies: () => [made],
    run: async (args, { output, signal }) => {
      const isForced = args.includes("--force");
      const [action, name, ...rest] = args.filter((arg) => arg !== "--force");
      if (action === "list" && name === undefined) {
        for (const known of names) output.print(known);
        return Command.done;
      }
      const isOne = action === "run" && name !== undefined && rest.length === 0;
      if (action !== undefined && !isOne) return undefined;
      for (const chosen of choose(name, isForced)) {
        const progress = bar(chosen, output);
        await seeds[chosen]?.({ progress: progress.show, signal });
        progress.end();
        output.print(`Seeded ${chosen}.`);
      }
      return Command.done;
    },
  });

  const made: SeedService = {
    ...Service.make({ name: "seed", dependencies: () => [database, ...dependencies()], commands: [command] }),
    names,
    run: async (name, options) => {
      const chosen = choose(name, options?.force === true);
      const { signal } = new AbortController();
      for (const each of chosen) await seeds[each]?.({ progress: () => {}, signal });
      return chosen;
    },
  };
  return made;
}
