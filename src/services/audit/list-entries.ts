import { parseArgs } from "node:util";
import { Command } from "../../core/index.ts";
import type { Audit, AuditEntry } from "./contract.ts";

const text = { type: "string" } as const;
const options = {
  user: text,
  action: text,
  table: text,
  id: text,
  request: text,
  limit: { type: "string", default: "50" },
  json: { type: "boolean" },
} as const;

/** Runs `audit.list`. */
export async function listEntries(
  audit: Audit,
  args: readonly string[],
  output: Command.Output,
): Promise<Command.Done | undefined> {
  const { user, action, table, id, request, limit, json } = parseArgs({ args: [...args], options }).values;
  if (!/^\d{1,9}$/.test(limit)) return undefined;
  const filterBy = { user_id: user, action, subject_table: table, subject_id: id, request_id: request };
  const [entries, total] = await audit.search({ filterBy, limit: Number(limit) });
  if (json === true) output.print(JSON.stringify({ total, entries }));
  else {
    for (const entry of entries) output.print(formatEntry(entry));
    output.print(total === 0 ? "No entries." : `${entries.length} of ${total}`);
  }
  return Command.done;
}

function formatEntry({ created_at: time, action, ...entry }: AuditEntry): string {
  const { user_id: user, impersonator_id: impersonator, credential, system, client, details } = entry;
  const row = entry.subject_table && `${entry.subject_table} ${entry.subject_id ?? ""}`;
  const who = [system ?? user ?? "-", impersonator && `by ${impersonator}`, credential && `(${credential})`];
  const columns = [
    time.toISOString(),
    action,
    who.filter(Boolean).join(" "),
    row,
    client,
    details && JSON.stringify(details),
  ];
  // Without control characters, which command the terminal: values may come from visitors.
  return columns
    .map((column) => column ?? "-")
    .join("  ")
    .replaceAll(/\p{Cc}/gu, " ");
}
