import type { Database } from "../../database/index.ts";
import type { ScheduleStore } from "./contract.ts";
import type { MemoryStore } from "./memory-store.ts";

/** Makes the store of schedules: in the database, or in memory where there is none. */
export async function openStore(
  database: Database | undefined,
): Promise<ScheduleStore & Partial<Pick<MemoryStore, "clear">>> {
  if (database === undefined) return (await import("./memory-store.ts")).memoryStore();
  return (await import("./sql-store.ts")).sqlStore(database);
}
