import { hash } from "node:crypto";
import { background, Service } from "../../core/index.ts";
import { type Database, insertOrSkip, keepRows, sql } from "../../database/index.ts";
import { Migration } from "../../migration/index.ts";
import { Time } from "../../time/index.ts";
import type { WebhookReceiver } from "./contract.ts";
import { errors } from "./errors.ts";

/** Options of `Webhook.receiver`. */
export interface ReceiverOptions {
  readonly database: Database;
  /** Time for which events are remembered, in milliseconds: longer than senders repeat them. Default 30 days. */
  readonly keepMs?: number;
}

const migration = Migration.make("webhook-receiver", [
  Migration.step(
    "create table webhook_events",
    ({ string, timestamp }) => [
      `create table webhook_events (
        id ${string(43)} primary key,
        handled_at ${timestamp} not null
      )`,
      "create index webhook_events_handled_at on webhook_events (handled_at)",
    ],
    { down: "drop table webhook_events" },
  ),
]);

/**
 * Makes a service that remembers in the table `webhook_events` which events were handled, so that an event that is
 * delivered twice is handled once.
 *
 * @throws E_DATABASE_KEEP for an invalid `keepMs`
 * @example
 * export const webhook = Webhook.receiver({ database });
 */
export function receiver({ database, keepMs = Time.days(30) }: ReceiverOptions): WebhookReceiver {
  const keepEvents = keepRows(database, { table: "webhook_events", column: "handled_at", keepMs });
  return {
    ...Service.make({
      name: "webhook-receiver",
      implementation: "sql",
      dependencies: () => [database],
      ...background(() => [keepEvents()]),
    }),
    migrations: [migration],
    once: async (eventId, handle, { source = "", ...options } = {}) => {
      // One event without an id would be the only one of its source.
      if (!eventId) throw errors.E_WEBHOOK_CONTENT().causedBy(new Error("The event has no id"));
      const id = hash("sha256", JSON.stringify([source, eventId]), "base64url");
      return database.transaction(async (connection) => {
        const event = sql`webhook_events (id, handled_at) values (${id}, ${Time.now()})`;
        // Inserted first: a concurrent delivery waits here until this transaction ends.
        return (await connection.exec(insertOrSkip(event))) === 1 ? await handle() : undefined;
      }, options);
    },
  };
}
