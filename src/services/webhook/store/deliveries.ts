import type { ContextOptions } from "../../../core/index.ts";
import { type Database, Row, sql } from "../../../database/index.ts";
import { Migration } from "../../../migration/index.ts";
import { prepareSearchRequest, type SearchRequest } from "../../../table/search/index.ts";
import { Time } from "../../../time/index.ts";
import type { DeliveryStatus, WebhookDelivery } from "../contract.ts";

/** Migration of the table `webhook_deliveries`. */
export const deliveryMigration: Migration.Migration = Migration.make("webhook-sender", [
  Migration.step(
    "create table webhook_deliveries",
    ({ uuid, string, text, int, timestamp }) => [
      `create table webhook_deliveries (
        id ${uuid} primary key,
        endpoint ${string(255)} not null,
        type ${string(128)} not null,
        body ${text} not null,
        status ${string(16)} not null,
        attempts ${int} not null,
        response_status ${int},
        error ${text},
        created_at ${timestamp} not null,
        updated_at ${timestamp} not null
      )`,
      "create index webhook_deliveries_endpoint on webhook_deliveries (endpoint, created_at)",
      "create index webhook_deliveries_created_at on webhook_deliveries (created_at)",
    ],
    { down: "drop table webhook_deliveries" },
  ),
]);

const statuses = ["pending", "succeeded", "failed"] as const;

const deliveryRow = Row.record({
  id: Row.uuid,
  endpoint: Row.text,
  type: Row.text,
  status: Row.oneOf(...statuses),
  attempts: Row.int,
  response_status: Row.optional(Row.int),
  error: Row.optional(Row.text),
  created_at: Row.timestamp,
  updated_at: Row.timestamp,
});
const columns = sql.columns(deliveryRow);

/** Search of deliveries. */
export const deliverySearch: SearchRequest<WebhookDelivery> = prepareSearchRequest({
  from: sql`webhook_deliveries`,
  row: deliveryRow,
  filterBy: { endpoint: Row.text, status: Row.oneOf(...statuses), type: Row.text },
  sort: "created_at",
});

/** Outcome of an attempt. */
export interface AttemptRecord {
  readonly status: DeliveryStatus;
  readonly responseStatus?: number | undefined;
  /** Reason of a failure. */
  readonly error?: string;
}

/** Statements on the table of deliveries. */
export interface DeliveryStore {
  insert(
    delivery: Pick<WebhookDelivery, "id" | "endpoint" | "type">,
    body: string,
    options: ContextOptions,
  ): Promise<void>;
  findOpt(id: string, options: ContextOptions): Promise<WebhookDelivery | undefined>;
  /** Returns the body of a delivery. */
  findBody(id: string, options: ContextOptions): Promise<string>;
  /** Records an attempt. */
  record(id: string, attempt: AttemptRecord, options: ContextOptions): Promise<void>;
  /** Sets the status of a delivery. Returns false if it does not exist. */
  setStatus(id: string, status: DeliveryStatus, options: ContextOptions): Promise<boolean>;
}

/** Makes the store of deliveries of a database. */
export function deliveryStore(database: Database): DeliveryStore {
  return {
    insert: async ({ id, endpoint, type }, body, options) => {
      const now = Time.now();
      await database.exec(
        sql`insert into webhook_deliveries (id, endpoint, type, body, status, attempts, created_at, updated_at)
          values (${id}, ${endpoint}, ${type}, ${body}, ${"pending"}, 0, ${now}, ${now})`,
        options,
      );
    },
    findOpt: (id, options) =>
      database.findOpt(sql.row(deliveryRow)`select ${columns} from webhook_deliveries where id = ${id}`, options),
    findBody: (id, options) =>
      database.find(sql.value(Row.text)`select body from webhook_deliveries where id = ${id}`, options),
    record: async (id, { status, responseStatus = null, error = null }, options) => {
      await database.exec(
        sql`update webhook_deliveries set status = ${status}, attempts = attempts + 1, response_status = ${responseStatus},
          error = ${error}, updated_at = ${Time.now()} where id = ${id}`,
        options,
      );
    },
    setStatus: async (id, status, options) => {
      const changes = sql`status = ${status}, updated_at = ${Time.now()}`;
      return (await database.exec(sql`update webhook_deliveries set ${changes} where id = ${id}`, options)) === 1;
    },
  };
}
