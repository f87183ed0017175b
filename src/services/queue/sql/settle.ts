import { type Database, type Fragment, Row, sql, type Statement } from "../../../database/index.ts";
import { Time } from "../../../time/index.ts";
import type { Held, Settlement } from "../store.ts";
import { positions } from "./position.ts";

/**
 * The table, for statements that name rows by their ids. MariaDB would look for them along another index when they are many,
 * and lock what it only looks at: whoever claims in the meantime would skip rows that are due, out of their turn.
 */
export const byId: Fragment = sql.dialect({
  mariadb: sql`queue_jobs force index (primary)`,
  postgresql: sql`queue_jobs`,
  sqlite: sql`queue_jobs`,
});

/** How often work is run again after a deadlock. */
export const mostRetries = 5;

/** Ends tries, as `Store.settle` says: those of one lease that succeeded, or are released, by one statement. */
export async function settle(database: Database, settlements: readonly Settlement[]): Promise<ReadonlySet<Settlement>> {
  const groups = [...Map.groupBy(settlements, groupOf).values()];
  const write = async (): Promise<ReadonlySet<Settlement>> => {
    const accepted = new Set<Settlement>();
    for (const group of groups) for (const each of await settleGroup(database, group)) accepted.add(each);
    return accepted;
  };
  // All or none: what was written down and is written down again would be refused. On MariaDB, which locks rows that it
  // only looks at, a single statement may meet another in a deadlock, too.
  const isSafe = groups.length === 1 && database.dialect().name !== "mariadb";
  return isSafe ? write() : database.transaction(write, { retry: mostRetries });
}

const groupOf = ({ id, lease, to }: Settlement): string =>
  to === "succeeded" || to === "released" ? `${to} ${lease}` : `${to} ${lease} ${id}`;

/** Ends tries of one lease that end alike, and gives those that were still held. A row keeps the lease of its end. */
async function settleGroup(database: Database, group: readonly Settlement[]): Promise<readonly Settlement[]> {
  const [first] = group;
  if (first === undefined) return [];
  const ids = sql.in(
    sql`id`,
    group.map(({ id }) => id),
  );
  const now = Time.now();
  const count = await database.exec(sql`update ${byId}
    set ${changeOf(first, now)}, leased_until = null, updated_at = ${now}
    where ${ids} and status = 'running' and lease = ${first.lease}`);
  if (count === group.length) return group;
  // Some may have been written down before, when the answer did not arrive.
  const ended = await database.collect(
    sql.value(
      Row.uuid,
    )`select id from queue_jobs where ${ids} and status = ${statusOf(first)} and lease = ${first.lease}`,
  );
  return group.filter(({ id }) => ended.includes(id));
}

const statusOf = ({ to }: Settlement): string => (to === "released" ? "pending" : to);

function changeOf(settlement: Settlement, now: Date): Statement<unknown> {
  switch (settlement.to) {
    case "succeeded":
      return sql`status = 'succeeded', active_key = null, finished_at = ${now}`;
    case "failed":
      return sql`status = 'failed', active_key = null, finished_at = ${now},
        last_error = ${settlement.error}, last_error_at = ${now}`;
    case "pending":
      return sql`status = 'pending', next_run_at = ${settlement.at}, position = ${positions(settlement.at, 1)[0]},
        last_error = ${settlement.error}, last_error_at = ${now}`;
    default:
      return sql`status = 'pending', tries = tries - 1`;
  }
}

/** Extends leases, as `Store.renew` says. */
export async function renew(database: Database, held: readonly Held[], until: Date): Promise<ReadonlySet<Held>> {
  const ids = sql.in(
    sql`id`,
    held.map(({ id }) => id),
  );
  const leases = sql.in(sql`lease`, [...new Set(held.map(({ lease }) => lease))]);
  const statement = sql`update ${byId} set leased_until = ${until} where ${ids} and status = 'running' and ${leases}`;
  const count = await database.transaction(() => database.exec(statement), { retry: mostRetries });
  if (count === held.length) return new Set(held);
  const rows = await database.collect(
    sql.row(heldRow)`select id, lease from queue_jobs where ${ids} and status = 'running' and ${leases}`,
  );
  const still = new Set(rows.map(({ id, lease }) => `${id} ${lease}`));
  return new Set(held.filter(({ id, lease }) => still.has(`${id} ${lease}`)));
}

const heldRow = Row.record({ id: Row.uuid, lease: Row.uuid });
