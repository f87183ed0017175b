import { Configuration } from "../config/index.ts";
import { Log } from "../log/index.ts";
import type { Prepared } from "./contract.ts";

const log = Log.source("limmat.database");

/** How often one statement may be run during a request before that is reported. */
const maxRepeats = 10;

// Requests are forgotten in the order in which they came, so that nothing has to tell when they end.
const maxRequests = 200;
const requests = new Map<unknown, Map<Prepared, number>>();

/**
 * Counts the statements of a request, and reports one that is repeated: mostly a query per item of a list, where one for
 * all items would do. In development only.
 */
export function countRepeats(prepared: Prepared, place: () => string): void {
  const request = Log.currentFields()?.["request_id"];
  if (request === undefined || Configuration.environment() !== "development") return;
  let counts = requests.get(request);
  if (counts === undefined) {
    for (const oldest of requests.keys()) {
      if (requests.size < maxRequests) break;
      requests.delete(oldest);
    }
    requests.set(request, (counts = new Map<Prepared, number>()));
  }
  const count = (counts.get(prepared) ?? 0) + 1;
  counts.set(prepared, count);
  if (count !== maxRepeats + 1) return;
  const text = prepared.text.replace(/\s+/g, " ").trim();
  log.warning(`A request ran one statement more than ${maxRepeats} times: ${text}`, { at: place() });
}
