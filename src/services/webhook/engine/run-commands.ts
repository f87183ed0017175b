import { parseArgs } from "node:util";
import { Command } from "../../../core/index.ts";
import type { SearchParameters } from "../../../table/search/index.ts";
import type { WebhookDelivery, WebhookSender } from "../contract.ts";

/** Runs a command on a sender. */
type RunCommand = (
  sender: WebhookSender,
  args: readonly string[],
  output: Command.Output,
) => Promise<Command.Done | undefined>;

const searchOptions = { endpoint: { type: "string" }, limit: { type: "string", default: "50" } } as const;

/** Returns a search for deliveries, `undefined` for a wrong limit. */
function searchOf(limit: string, filters: Readonly<Record<string, string | undefined>>): SearchParameters | undefined {
  const filterBy = Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  return /^\d{1,9}$/.test(limit) ? { filterBy, limit: Number(limit) } : undefined;
}

/** Runs `webhook.list`. */
export const listDeliveries: RunCommand = async (sender, args, output) => {
  const options = { ...searchOptions, status: { type: "string" }, json: { type: "boolean" } } as const;
  const { endpoint, status, limit, json } = parseArgs({ args: [...args], options }).values;
  const search = searchOf(limit, { endpoint, status });
  if (search === undefined) return undefined;
  const [deliveries, total] = await sender.search(search);
  if (json === true) output.print(JSON.stringify({ total, deliveries }));
  else {
    for (const delivery of deliveries) output.print(formatDelivery(delivery));
    output.print(total === 0 ? "No deliveries." : `${deliveries.length} of ${total}`);
  }
  return Command.done;
};

/** Runs `webhook.redeliver`. */
export const redeliver: RunCommand = async (sender, args, output) => {
  const options = { ...searchOptions, failed: { type: "boolean", default: false } } as const;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
  const { endpoint, limit, failed } = values;
  const search = searchOf(limit, { endpoint, status: "failed" });
  if (failed === positionals.length > 0 || search === undefined) return undefined;
  const ids = failed ? (await sender.search(search))[0].map(({ id }) => id) : positionals;
  let count = 0;
  for (const id of ids) {
    if (await sender.redeliver(id)) count += 1;
    else output.note(`There is no delivery ${id}: it never existed or was deleted.`);
  }
  output.print(`${count} of ${ids.length} will be sent again.`);
  return Command.done;
};

function formatDelivery(delivery: WebhookDelivery): string {
  const { id, status, attempts, response_status, created_at, endpoint, type, error } = delivery;
  const time = created_at.toISOString();
  const columns = [id, status.padEnd(9), `${attempts}×`, response_status ?? "-", time, endpoint, type, error ?? ""];
  // The error quotes untrusted texts: without control characters, which command the terminal.
  return columns
    .join("  ")
    .replaceAll(/\p{Cc}+/gu, " ")
    .trimEnd();
}
