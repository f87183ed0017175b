import { Configuration } from "../../config/index.ts";
import { background, type Environment, Service } from "../../core/index.ts";
import { keepRows } from "../../database/index.ts";
import { Outbound } from "../../outbound/index.ts";
import { Random } from "../../random/index.ts";
import { Schema } from "../../schema/index.ts";
import { runSearchRequest } from "../../table/search/index.ts";
import { Time } from "../../time/index.ts";
import { createCommands } from "./commands.ts";
import type { SenderOptions, WebhookEvent, WebhookSender } from "./contract.ts";
import { deliveryJob } from "./engine/deliver.ts";
import { errors } from "./errors.ts";
import { deliveryMigration, deliverySearch, insertDelivery, selectDelivery, setStatus } from "./store/deliveries.ts";

/**
 * Makes a service that sends signed webhooks (Standard Webhooks 1.0) from a queue, with a log of deliveries in the table
 * `webhook_deliveries`. URLs are those of `Outbound.fetch`: a user cannot reach the own network with one. The log has
 * neither URLs nor secrets.
 *
 * @throws E_DATABASE_KEEP for an invalid `keepMs`
 * @example
 * export const webhooks = Webhook.sender({
 *   database,
 *   queue,
 *   findEndpoint: (id, options) => Endpoint.findEnabled(id, options),
 *   onGone: (id, options) => Endpoint.disable(id, options),
 * });
 */
export function sender(options: SenderOptions): WebhookSender {
  const { database, queue, keepMs = Time.days(30) } = options;
  const job = deliveryJob(options);
  const keepDeliveries = keepRows(database, { table: "webhook_deliveries", column: "created_at", keepMs });

  const service: WebhookSender = {
    ...Service.make({
      name: "webhook-sender",
      implementation: "sql",
      dependencies: () => [database, queue],
      configuration: [Outbound.allowedOriginsField],
      commands: createCommands(() => service),
      check: ({ environment }) => checkOrigins(environment),
      ...background(() => {
        queue.register(job);
        return [keepDeliveries()];
      }),
    }),
    migrations: [deliveryMigration],
    send: async (endpoint, event, call = {}) => {
      const id = Random.uuid();
      const insert = insertDelivery(id, endpoint, event.type, bodyOf(event));
      await database.transaction(async (connection) => {
        await connection.exec(insert);
        await queue.dispatch(job, { delivery: id }, call);
      }, call);
      return id;
    },
    redeliver: async (id, call = {}) =>
      database.transaction(async (connection) => {
        if (!Schema.isUuid(id) || (await connection.exec(setStatus(id, "pending"))) === 0) return false;
        // The job of a delivery that waits for its next attempt is found by its key, and starts now.
        const jobId = await queue.dispatch(job, { delivery: id }, call);
        // A running job may have recorded the delivery already: its result is discarded, and it runs again.
        if (!(await queue.requeue(jobId, call))) {
          await queue.cancel(jobId, call);
          await queue.requeue(jobId, call);
        }
        return true;
      }, call),
    findOpt: async (id, call = {}) => (Schema.isUuid(id) ? database.findOpt(selectDelivery(id), call) : undefined),
    search: (parameters, call) => runSearchRequest(database, deliverySearch, parameters, call),
  };
  return service;
}

/** Checks for the command `doctor` that URLs of users cannot reach internal services in production. */
function checkOrigins(environment: Environment): readonly Service.Finding[] {
  const origins = Configuration.read(Outbound.allowedOriginsField);
  if (origins === "") return [{ level: "ok", message: "Webhooks go to public hosts only" }];
  const message = `Webhooks may go to internal services: OUTBOUND_ALLOWED_ORIGINS allows ${origins}`;
  if (environment !== "production") return [{ level: "ok", message }];
  return [{ level: "warning", message, advice: "Remove the origins that belong to development." }];
}

/** Returns the body of an event. @throws E_WEBHOOK_EVENT */
function bodyOf({ type, data }: WebhookEvent): string {
  if (!/^[\w.-]{1,128}$/.test(type)) {
    throw errors.E_WEBHOOK_EVENT(type, "its type must be letters, digits, dots, dashes and underscores, at most 128");
  }
  try {
    return JSON.stringify({ type, timestamp: Time.now(), data });
  } catch (cause) {
    throw errors.E_WEBHOOK_EVENT(type, "JSON cannot represent its data").causedBy(cause);
  }
}
