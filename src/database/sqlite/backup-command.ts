import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Command } from "../../core/index.ts";
import { errors } from "../errors.ts";

const defaultKeep = 7;

/** Creates the command that copies the database of a service while it is in use: `database.backup`. */
export function backupCommand(service: string, readUrl: () => string | undefined): Command.Command {
  return Command.make({
    name: `${service}.backup`,
    usage: "<folder> [--keep <n>]",
    description: `Copies the database to a folder while it is in use, and keeps the latest ${defaultKeep} copies`,
    run: async (args, { output }) => {
      const { values, positionals } = parseArgs({
        args: [...args],
        options: { keep: { type: "string" } },
        allowPositionals: true,
      });
      const [folder, ...others] = positionals;
      const { keep = String(defaultKeep) } = values;
      if (folder === undefined || others.length > 0 || !/^[1-9]\d{0,3}$/.test(keep)) return undefined;
      const url = readUrl();
      if (url === undefined) throw errors.E_DATABASE_BACKUP("the service has no default pool");
      // Imported on demand, as only this command needs it (docs/decisions/017).
      const { backupDatabase } = await import("./backup.ts");
      output.print(await backupDatabase({ url, folder: resolve(folder), keep: Number(keep) }));
      return Command.done;
    },
  });
}
