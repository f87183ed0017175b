import { entries, firstOf, issueCount, issueId } from "./data.ts";
import { pageSize, type TableContestant } from "./contestants/contestant.ts";

/** Measured operations on tables. */
export const tableWorks = ["find", "insert", "update", "with", "insertAll", "page1", "page2", "page10000"] as const;

/** Operations that are measured in the same rounds: the goal of the pages compares them. */
export const workGroups: readonly (readonly TableWork[])[] = [
  ...(["find", "insert", "update", "with", "insertAll"] as const).map((work) => [work]),
  ["page1", "page2", "page10000"],
];

export type TableWork = (typeof tableWorks)[number];

/**
 * Number of concurrent users, each of whom waits for a result before the next operation. Large results and pages are read one
 * at a time: several would measure the garbage collector, and hide the server's time.
 */
export const users: Readonly<Record<TableWork, number>> = {
  find: 20,
  insert: 20,
  update: 20,
  with: 1,
  insertAll: 1,
  page1: 1,
  page2: 1,
  page10000: 1,
};

/** Returns a function that runs the operation with the next key on each call. */
export function operationOf(contestant: TableContestant, work: TableWork): () => unknown {
  let calls = 0;
  const turn = (): number => ((calls += 1) % issueCount) + 1;
  switch (work) {
    case "find":
      return () => contestant.find(issueId(turn()));
    case "insert":
      return () => contestant.insert(entries[turn()]!);
    case "update":
      // SQLite and MariaDB write nothing if a row stays the same.
      return () => contestant.update(issueId(turn()), `Issue with the title ${calls}`);
    case "insertAll":
      return () => contestant.insertAll(entries);
    default: {
      const operation = contestant[work];
      if (operation === undefined) throw new Error(`The contestant has no ${work}`);
      return operation;
    }
  }
}

type Item = Readonly<Record<string, unknown>>;

/** Throws unless the contestant returns the expected rows, in the form of its driver, and stores what it is given. */
export async function check(name: string, contestant: TableContestant): Promise<void> {
  const assert = (isRight: boolean, work: TableWork, found: unknown): void => {
    if (!isRight)
      throw new Error(`${name} returns unexpected rows for ${work}: ${JSON.stringify(found)?.slice(0, 500)}`);
  };
  const isIssue = (item: Item | undefined, n: number, title = `Issue ${n}`): boolean =>
    item?.["id"] === issueId(n) &&
    item["title"] === title &&
    item["state"] === (n % 5 < 3 ? "open" : "closed") &&
    item["number"] === n &&
    String(item["assignee_id"]).endsWith(n % 10 === 0 ? "" : String((n % 100) + 1)) &&
    monthOf(item["created_at"]) === 0;

  const found = (await contestant.find(issueId(8))) as Item;
  assert(isIssue(found, 8), "find", found);

  const updated = (await contestant.update(issueId(8), "Changed")) as Item;
  assert(isIssue(updated, 8, "Changed"), "update", updated);
  const restored = (await contestant.update(issueId(8), "Issue 8")) as Item;
  assert(isIssue(restored, 8), "update", restored);

  const inserted = (await contestant.insert(entries[7]!)) as Item;
  const isInserted =
    /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/.test(String(inserted["id"])) &&
    inserted["title"] === entries[7]?.title &&
    inserted["number"] === 8 &&
    monthOf(inserted["created_at"]) === 0;
  assert(isInserted, "insert", inserted);

  const issues = (await contestant.with()) as readonly Item[];
  assert(issues.length === issueCount, "with", issues.length);
  for (const [index, issue] of issues.entries()) {
    const n = index + 1;
    const assignee = issue["assignee"] as Item | null | undefined;
    const labels = issue["labels"] as readonly Item[];
    const email = n % 10 === 0 ? undefined : `person ${(n % 100) + 1}`;
    const isRight =
      isIssue(issue, n) &&
      assignee?.["email"] === email &&
      labels.length === 2 &&
      labels[0]?.["name"] === `label ${(n % 10) + 1}` &&
      labels[1]?.["name"] === `label ${(n % 10) + 11}`;
    assert(isRight, "with", issue);
  }

  for (const work of ["page1", "page2", "page10000"] as const) {
    const operation = contestant[work];
    if (operation === undefined) continue;
    const page = (await operation()) as readonly Item[];
    const isRight = page.length === pageSize && page[0]?.["id"] === firstOf[work] && page[0]["state"] === "open";
    assert(isRight, work, page[0]);
  }
}

/** Returns the month of a timestamp as a driver or ORM returns it: a Date, a Luxon DateTime or a text. */
const monthOf = (value: unknown): number => new Date(value as string).getUTCMonth();
