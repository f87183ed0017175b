import { type Database, sql, type Statement } from "../../../database/index.ts";
import { Time } from "../../../time/index.ts";
import { type Claim, type Claimed, priorities } from "../store.ts";
import { endOfLine } from "./position.ts";
import { byId } from "./settle.ts";
import { claimedColumns, claimedOf, type ClaimedRow, claimedRow } from "./row.ts";
import { mostRetries } from "./settle.ts";

/** Takes due instances, priority by priority, as `Store.claim` says. */
export async function claim(database: Database, asked: Claim): Promise<readonly Claimed[]> {
  const rows: ClaimedRow[] = [];
  const take = database.dialect().name === "mariadb" ? takeInTwo : takeAtOnce;
  for (const priority of priorities.keys()) {
    const limit = asked.limit - rows.length;
    if (limit === 0) break;
    try {
      rows.push(...(await take(database, priority, { ...asked, limit })));
    } catch (error) {
      // What was taken is in hand, and lost a try if nobody began it. The next claim meets the error again.
      if (rows.length === 0) throw error;
      break;
    }
  }
  return rows.map(claimedOf);
}

/** What is due, first things first. Others that look at the same time skip what is locked. */
const due = (columns: Statement<unknown>, priority: number, { names, limit }: Claim): Statement<unknown> => sql`
  select ${columns} from queue_jobs
  where status = 'pending' and priority = ${priority} and position < ${endOfLine()} and ${sql.in(sql`name`, names)}
  order by position limit ${limit}`;

const id = sql`id`;

async function takeAtOnce(database: Database, priority: number, asked: Claim): Promise<readonly ClaimedRow[]> {
  const ids = due(id, priority, asked);
  // As an array, the inner query is run once; PostgreSQL may run that of an `in` once per row.
  const chosen = sql.dialect({
    postgresql: sql`= any (array(${ids} for update skip locked))`,
    sqlite: sql`in (${ids})`,
    mariadb: sql`in (${ids})`,
  });
  const now = Time.now();
  const rows = await database.collect(
    sql.row(claimedRow)`update queue_jobs
      set status = 'running', tries = tries + 1, lease = ${asked.lease}, leased_until = ${asked.until},
        started_at = ${now}, updated_at = ${now}
      where id ${chosen}
      returning ${claimedColumns}`,
  );
  return rows.toSorted((left, right) => (left.position < right.position ? -1 : 1));
}

/** MariaDB's updates return no rows. */
function takeInTwo(database: Database, priority: number, asked: Claim): Promise<readonly ClaimedRow[]> {
  const { lease, until } = asked;
  return database.transaction(
    async () => {
      const found = await database.collect(
        sql.row(claimedRow)`${due(sql`${claimedColumns}`, priority, asked)} for update skip locked`,
      );
      if (found.length === 0) return [];
      const now = Time.now();
      await database.exec(sql`update ${byId}
        set status = 'running', tries = tries + 1, lease = ${lease}, leased_until = ${until},
          started_at = ${now}, updated_at = ${now}
        where ${sql.in(
          sql`id`,
          found.map((row) => row.id),
        )}`);
      const taken = { status: "running", lease, leased_until: until, started_at: now, updated_at: now } as const;
      return found.map((row) => ({ ...row, ...taken, tries: row.tries + 1 }));
    },
    { retry: mostRetries },
  );
}
