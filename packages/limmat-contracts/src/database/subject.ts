import { type Database, type DatabaseOptions, Migration, Row, type RowType, sql } from "limmat/database";

/** Database under test. */
export interface DatabaseSubject {
  /**
   * Makes a service on an empty database that only this run uses, and does not start it. It is called several times. All
   * services use the same database. The contract starts and stops them.
   */
  readonly make: (options?: DatabaseOptions) => Database;
  /** Returns a URL of the same database, for `addPool`. */
  readonly url: () => string;
  /** Leaves out about nine tenths of the rounds of cases that repeat. Default: false. */
  readonly isShort?: boolean;
}

/** Functions that register tests: the module `node:test`, or those of another test runner. */
export interface TestRunner {
  readonly describe: (name: string, register: () => void) => unknown;
  readonly test: (name: string, run: () => Promise<void> | void) => unknown;
  readonly before: (run: () => Promise<void> | void) => unknown;
  readonly beforeEach: (run: () => Promise<void> | void) => unknown;
  readonly after: (run: () => Promise<void> | void) => unknown;
}

/** Context of the test cases. */
export interface DatabaseContractContext {
  readonly runner: TestRunner;
  readonly subject: DatabaseSubject;
  /** Started service with the tables of `contractMigrations`. */
  readonly database: Database;
}

/** Tables of the contract. Each group of cases has its own tables. */
export const contractMigrations: Migration.Migration = Migration.make("contract", [
  Migration.step("values", (types) => [
    `create table c_text (id ${types.int} primary key, v ${types.text})`,
    `create table c_string (id ${types.int} primary key, v ${types.string(100)})`,
    `create table c_int (id ${types.int} primary key, v ${types.int})`,
    `create table c_float (id ${types.int} primary key, v ${types.float})`,
    `create table c_decimal (id ${types.int} primary key, v ${types.decimal(20, 4)})`,
    `create table c_bool (id ${types.int} primary key, v ${types.bool})`,
    `create table c_uuid (id ${types.int} primary key, v ${types.uuid})`,
    `create table c_bytes (id ${types.int} primary key, v ${types.bytes})`,
    `create table c_timestamp (id ${types.int} primary key, v ${types.timestamp})`,
    `create table c_date (id ${types.int} primary key, v ${types.date})`,
    `create table c_json (id ${types.int} primary key, v ${types.json})`,
  ]),
  Migration.step("items", ({ int, string, timestamp, bool, decimal, date, uuid, float }) => [
    `create table c_items (id ${int} primary key, name ${string(100)} not null unique, amount ${int} not null check (amount >= 0))`,
    `create table c_parts (id ${int} primary key, item_id ${int} not null, foreign key (item_id) references c_items (id))`,
    `create table c_accounts (id ${int} primary key, balance ${int} not null)`,
    `create table c_search (id ${int} primary key, title ${string(200)} not null, note ${string(200)}, rank_no ${int} not null)`,
    `create table c_places (id ${int} primary key, title ${string(200)} not null, at ${timestamp}, flag ${bool} not null,
      price ${decimal(20, 4)} not null, day ${date}, code ${uuid} not null, ratio ${float} not null)`,
    `create table c_choices (id ${int} primary key, state ${string(10)} not null check (state in ('open', 'closed')),
      name ${string(5)} default 'a, (b' check (name <> ''))`,
    `create table c_guard (id ${int} primary key, secret ${string(100)} not null)`,
  ]),
]);

/** Empties the table `c_items` and the table that refers to it. */
export async function clearItems(database: Database): Promise<void> {
  await database.exec(sql`delete from c_parts`);
  await database.exec(sql`delete from c_items`);
}

/** Row of `c_items`. */
export interface Item {
  readonly id: number;
  readonly name: string;
  readonly amount: number;
}

/** Row type of `c_items`. */
export const itemRow: RowType<Item> = Row.record({ id: Row.int, name: Row.text, amount: Row.int });
