// Requests of a member of a team, and what they reveal, change or store of another team. It runs in the project.
import assert from "node:assert/strict";
import { Cleaner } from "limmat";
import { rolledBack } from "limmat/testing";
import { database } from "../service/service.ts";
import {
  type Answer,
  fill,
  follow,
  type Forms,
  jsonHeaders,
  keyOf,
  readForms,
  resourceOf,
  send,
  type Sent,
  type Target,
  targets,
} from "./team-requests.ts";
import { allRows, makePublicRows, makePerson, makeTeam, type Person, uuidsOf } from "./two-teams.ts";

export const [ownWord, word] = ["Quince", "Medlar"];

/** Everything that the attacks use. */
export interface World {
  /** Admin of the own team. */
  readonly admin: Person;
  /** Member of the own team without further rights. */
  readonly member: Person;
  /** Member of both teams. */
  readonly both: Person;
  /** Admin of the other team. */
  readonly victim: Person;
  readonly project: string;
  readonly foreignProject: string;
  /** Rows of all tables before the attacks, and those of the other team. */
  readonly rows: ReadonlySet<string>;
  readonly foreignRows: ReadonlySet<string>;
  /** UUIDs that only rows of the other team contain. */
  readonly ids: readonly string[];
  /** One id of each of its tables. */
  readonly oneOfEach: readonly string[];
  readonly forms: Forms;
  readonly valuesOf: (target: Target) => readonly string[];
  /** Own entries as JSON, by resource. */
  readonly items: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** Names of columns with UUIDs. */
  readonly columns: readonly string[];
}

export async function makeWorld(): Promise<World> {
  const [admin, member, both] = [
    await makePerson(`${ownWord}-admin@example.com`),
    await makePerson(`${ownWord}-member@example.com`),
    await makePerson("both@example.com"),
  ];
  const project = await makeTeam(ownWord, [admin, member, both]);
  await makePublicRows(ownWord, admin);
  const own = await allRows();
  const [victim, other] = [
    await makePerson(`${word}-admin@example.com`),
    await makePerson(`${word}-member@example.com`),
  ];
  const foreignProject = await makeTeam(word, [victim, other, both]);
  const rows = await allRows();
  const foreignRows = rows.difference(own);
  const ownIds = uuidsOf([...own].join());
  const idsOf = (texts: Iterable<string>): readonly string[] => [...uuidsOf([...texts].join()).difference(ownIds)];
  const tableOf = (row: string): string => row.slice(0, row.indexOf(" "));
  const byTable = Map.groupBy(foreignRows, tableOf);
  const onlyOwn = new Set([...own].map(tableOf)).difference(byTable);
  assert.deepEqual([...onlyOwn].sort(), ["loans", "migration_state", "stickers"]);

  const isInvitation = (row: string): boolean =>
    row.startsWith("project_members ") && row.includes(admin.email.toLowerCase());
  const invitation = /"id":"([^"]+)"/.exec([...own].find(isInvitation) ?? "")?.[1] ?? "";
  /** Returns the id of the last own row of the table that a segment of a path names. */
  const ownId = (segment: string): string => {
    if (segment === "invitations") return invitation;
    const name = segment.replaceAll("-", "_");
    const idOf = (table: string): string | undefined => {
      const row = [...own].findLast((text) => text.startsWith(`${table} `));
      return row === undefined ? undefined : /"id":"([^"]+)"/.exec(row)?.[1];
    };
    return idOf(name) ?? idOf(`project_${name}`) ?? crypto.randomUUID();
  };
  const valuesOf = ({ parents }: Target): readonly string[] =>
    parents.map((parent) => (parent === "projects" ? project : ownId(parent)));
  const forms = await readForms(admin, valuesOf);
  const items = new Map<string, Readonly<Record<string, unknown>>>();
  for (const target of targets.filter(({ method, path }) => method === "GET" && path.endsWith("/:id"))) {
    const { status, body } = await send(admin, {
      method: "GET",
      path: fill(target, valuesOf(target)),
      headers: jsonHeaders,
    });
    if (status === 200 && body.startsWith("{"))
      items.set(resourceOf(target), JSON.parse(body) as Record<string, unknown>);
  }
  const columns = [
    ...new Set(Array.from([...rows].join().matchAll(/"(\w+)":"[\da-f]{8}-[\da-f]{4}-/g), ([, name = ""]) => name)),
  ];
  return {
    admin,
    member,
    both,
    victim,
    project,
    foreignProject,
    rows,
    foreignRows,
    ids: idsOf(foreignRows),
    oneOfEach: [...new Set(Array.from(byTable.values(), (texts) => idsOf(texts)[0]).filter((id) => id !== undefined))],
    forms,
    valuesOf,
    items,
    columns,
  };
}

/** Collects what goes wrong, and counts requests. */
export class Report {
  readonly faults: string[] = [];
  /** Valid requests with own entries that are refused nevertheless: they prove nothing. */
  readonly refused: string[] = [];
  requests = 0;
  readonly #world: World;
  /** UUIDs of all rows, and those of the other team. */
  readonly #known: ReadonlySet<string>;
  readonly #foreign: ReadonlySet<string>;

  constructor(world: World) {
    this.#world = world;
    this.#known = uuidsOf([...world.rows].join());
    this.#foreign = new Set(world.ids);
  }

  /** Sends a request, and returns what an attacker sees. What it stores is undone, after a look at it. */
  async outcome(person: Person, sent: Sent, named = "\u0000"): Promise<string> {
    this.requests++;
    // Limits of requests count in memory.
    await Cleaner.cleanAll({ onlyMemory: true });
    const undone = new Error("undone");
    let outcome = "";
    try {
      await database.transaction(async () => {
        const answer = await send(person, sent);
        outcome = this.#seen(person, sent, named, answer);
        if (answer.status === 303) outcome += this.#seen(person, sent, named, await follow(person, answer));
        if (sent.method === "GET" || answer.status >= 400) return;
        await this.#compareRows(sent, answer.status);
        throw undone;
      });
    } catch (error) {
      if (error !== undone) throw error;
    }
    return outcome;
  }

  /** Sends a valid request with own entries. If it is refused, the same request with other ids proves nothing. */
  async prove(target: Target, sent: Sent): Promise<void> {
    const outcome = await this.outcome(this.#world.admin, sent);
    if (Number(outcome.slice(0, 3)) >= 400) this.refused.push(keyOf(target));
  }

  /** Sends a request that names an id, for each of some ids, and compares the outcomes with that of an id which does not exist. */
  async compare(
    person: Person,
    probe: (id: string) => Sent,
    ids: readonly string[],
    missing: string = crypto.randomUUID(),
  ): Promise<void> {
    const sent = probe(missing);
    await rolledBack(database, async () => {
      const expected = await this.outcome(person, sent, missing);
      for (const id of ids) {
        const outcome = await this.outcome(person, probe(id), id);
        if (outcome !== expected) this.faults.push(`${describe(probe(id))}: ${difference(outcome, expected)}`);
      }
      if (sent.method !== "GET") await this.#compareRows(sent, "refused");
    });
    assert.ok(this.faults.length < 10, this.faults.join("\n"));
  }

  async #compareRows(sent: Sent, status: number | "refused"): Promise<void> {
    const { rows, foreignRows } = this.#world;
    const now = await allRows();
    const changed = [...foreignRows.difference(now)];
    const added = [...now.difference(rows)].filter((row) => !uuidsOf(row).isDisjointFrom(this.#foreign));
    for (const row of changed) this.faults.push(`${describe(sent)}: ${status} has changed ${row}`);
    if (changed.length > 0) return;
    for (const row of added) this.faults.push(`${describe(sent)}: ${status} has stored ${row}`);
  }

  /** Returns what a response shows, without what differs between two equal requests. */
  #seen(person: Person, sent: Sent, named: string, { status, headers, body }: Answer): string {
    if (status >= 500) this.faults.push(`${describe(sent)}: ${status}`);
    const text = `${Array.from(headers, (pair) => pair.join(": ")).join("\n")}\n${body}`;
    if (person !== this.#world.both) {
      const leaked = [...uuidsOf(text)].filter((id) => id !== named && this.#foreign.has(id));
      const isNamed = describe(sent).toLowerCase().includes(word.toLowerCase());
      if (leaked.length > 0 || (!isNamed && text.toLowerCase().includes(word.toLowerCase()))) {
        this.faults.push(`${describe(sent)}: ${status} shows ${leaked.join()} ${body.slice(0, 2000)}`);
      }
    }
    const names = [...headers.keys()].join();
    const shown = [status, names, headers.get("location"), headers.get("content-type"), body].join("\n");
    return shown
      .replaceAll(new RegExp(named, "gi"), "<named>")
      .replaceAll(/"csrf" value="[^"]*"/g, "")
      .replaceAll(/[\da-f]{8}-[\da-f]{4}-[47][\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, (id) =>
        this.#known.has(id) ? id : "<new>",
      )
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::[\d.]+Z?)?/g, "<time>")
      .replaceAll(/"(?:requestId|instance)":"[^"]*"|<code>[\w-]{10,}<\/code>/g, "<request>");
  }
}

const describe = ({ method, path, headers, body }: Sent): string =>
  `${method} ${path} (${headers?.["accept"] ?? ""}) ${typeof body === "string" ? body : ""}`;

/** Returns the first lines in which two outcomes differ. */
function difference(outcome: string, expected: string): string {
  const [left, right] = [outcome.split("\n"), expected.split("\n")];
  const line = left.findIndex((text, index) => text !== right[index]);
  return `${left[0]} ${left[line]?.slice(0, 300)} instead of ${right[0]} ${right[line]?.slice(0, 300)}`;
}
