import { Command, lazy } from "../../core/index.ts";
import type { Audit } from "./contract.ts";

// Few processes run a command, so the code loads on demand (docs/decisions/017).
const loadCommand = lazy(() => import("./list-entries.ts"));

/** Creates the command `audit.list`. */
export const auditCommands = (audit: () => Audit): readonly Command.Command[] => [
  Command.make({
    name: "audit.list",
    usage: "[--user <id>] [--action <action>] [--table <table>] [--id <id>] [--request <id>] [--limit <n>] [--json]",
    description: "Lists who did what, newest first",
    details: "--table and --id name the row that something was done to. Without --limit, 50 entries are listed.",
    dependencies: () => [audit()],
    run: async (args, { output }) => (await loadCommand()).listEntries(audit(), args, output),
  }),
];
