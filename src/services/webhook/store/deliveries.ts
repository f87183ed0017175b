import { Row, sql, type Statement } from "../../../database/index.ts";
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

/** Returns the statement that inserts a pending delivery. */
export function insertDelivery(id: string, endpoint: string, type: string, body: string): Statement<unknown> {
  const now = Time.now();
  return sql`insert into webhook_deliveries (id, endpoint, type, body, status, attempts, created_at, updated_at)
    values (${id}, ${endpoint}, ${type}, ${body}, ${"pending"}, 0, ${now}, ${now})`;
}

/** Returns the query for a delivery. */
export const selectDelivery = (id: string): Statement<WebhookDelivery> =>
  sql.row(deliveryRow)`select ${columns} from webhook_deliveries where id = ${id}`;

/** Returns the query for the body of a delivery. */
export const selectBody = (id: string): Statement<string> =>
  sql.value(Row.text)`select body from webhook_deliveries where id = ${id}`;

/** Returns the statement that counts an attempt and records its outcome. */
export const recordAttempt = (id: string, { status, responseStatus, error }: AttemptRecord): Statement<unknown> =>
  sql`update webhook_deliveries set status = ${status}, attempts = attempts + 1,
    response_status = ${responseStatus ?? null}, error = ${error ?? null}, updated_at = ${Time.now()} where id = ${id}`;

/** Returns the statement that sets the status of a delivery. */
export const setStatus = (id: string, status: DeliveryStatus): Statement<unknown> =>
  sql`update webhook_deliveries set status = ${status}, updated_at = ${Time.now()} where id = ${id}`;
