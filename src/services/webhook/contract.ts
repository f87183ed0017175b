import type { ContextOptions } from "../../core/index.ts";
import type { Database, OperationOptions } from "../../database/index.ts";
import type { MigratedService } from "../../migration/index.ts";
import type { SearchParameters } from "../../table/search/index.ts";
import type { Queue } from "../queue/contract.ts";

/**
 * Form of signatures:
 *
 * - `standard`: Standard Webhooks 1.0, in the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`
 * - `stripe`: that of Stripe, in the header `stripe-signature`
 */
export type SignatureForm = "standard" | "stripe";

/** Secrets and form of a signature. */
export interface SignatureOptions {
  /**
   * Secrets, at least one: `whsec_` and 16 or more bytes in base64; in Stripe's form the text that Stripe shows. During a
   * rotation, the new one and the former ones: a signature by any of them is valid.
   */
  readonly secrets: readonly string[];
  /** Form of the signature. Default `standard`. */
  readonly form?: SignatureForm;
}

/** Options of `Webhook.verify`. */
export interface VerifyOptions extends SignatureOptions {
  /** Maximum difference between the time of the signature and the clock, in milliseconds. Default 5 minutes. */
  readonly toleranceMs?: number;
}

/** Options of `Webhook.sign`. */
export interface SignOptions extends SignatureOptions {
  /** Identifier of the event. Not part of Stripe's form, where the content has it. */
  readonly id: string;
  /** Time of the signature. Default: now. */
  readonly sentAt?: Date;
}

/** Request whose signature is verified, such as a `Web.Request`. */
export interface SignedRequest {
  header(name: string): string | undefined;
  bytes(): Promise<Uint8Array>;
}

/** Webhook whose signature is valid. */
export interface VerifiedWebhook {
  /** Identifier of the event, the same for each delivery: `webhook-id`, in Stripe's form the `id` of the content. */
  readonly id: string;
  /** Time of the signature, which each delivery has anew. */
  readonly sentAt: Date;
  /** Parsed body. Its shape is not checked. */
  readonly content: unknown;
}

/** Options of `once`. */
export interface OnceOptions extends OperationOptions {
  /** Sender of the event, such as `payments`. Equal identifiers of two sources are two events. Default: an empty text. */
  readonly source?: string;
}

/** Service that remembers which events were handled. */
export interface WebhookReceiver extends MigratedService {
  /**
   * Handles an event in a transaction, unless it was handled before, and returns the result of `handle`, else `undefined`.
   * The transaction also records the event: if `handle` throws or returns a failed result, nothing is recorded, and the
   * next delivery handles the event again. A concurrent delivery waits for the first one.
   *
   * Events are remembered for 30 days (`keepMs`). `maxRetries` repeats `handle` after a deadlock.
   *
   * @throws E_WEBHOOK_CONTENT (400) for an empty identifier
   */
  once<T>(eventId: string, handle: () => Promise<T>, options?: OnceOptions): Promise<T | undefined>;
}

/** Receiver of webhooks, as the application has stored it. */
export interface WebhookEndpoint {
  /** URL that its owner has typed. `Outbound.fetch` describes which ones are refused. */
  readonly url: string;
  /** Secrets that sign, such as those of `Webhook.createSecret`: all of them, so that the receiver can rotate. */
  readonly secrets: readonly string[];
}

/** Options of `Webhook.sender`. */
export interface SenderOptions {
  readonly database: Database;
  /** Queue that sends, in the same database: a delivery and its job are committed together. */
  readonly queue: Queue;
  /** Returns an endpoint of the application. Without it, deliveries to it fail. Called for each attempt. */
  readonly findEndpoint: (id: string, options: ContextOptions) => Promise<WebhookEndpoint | undefined>;
  /** Called after an endpoint has answered that it is gone permanently (410): disable it, and tell its owner. Default: nothing. */
  readonly onGone?: (id: string, options: ContextOptions) => Promise<unknown>;
  /** Maximum duration of an attempt, in milliseconds. Default 15,000. */
  readonly timeoutMs?: number;
  /** Time for which deliveries are kept, in milliseconds. Default 30 days. */
  readonly keepMs?: number;
}

/** Event that is sent to an endpoint. */
export interface WebhookEvent {
  /** Type of the event, with dots, such as `order.paid`: at most 128 characters. */
  readonly type: string;
  /** Content, in JSON. */
  readonly data: unknown;
}

/** Status of a delivery. A pending one waits for its first or next attempt. */
export type DeliveryStatus = "pending" | "succeeded" | "failed";

/** Entry of the log of deliveries. */
export interface WebhookDelivery {
  /** UUID v4: the `webhook-id` of all attempts. */
  readonly id: string;
  /** Identifier of the endpoint in the application. */
  readonly endpoint: string;
  /** Type of the event. */
  readonly type: string;
  readonly status: DeliveryStatus;
  /** Number of requests that were sent or refused. */
  readonly attempts: number;
  /** Status of the last response; `undefined` without one. */
  readonly response_status: number | undefined;
  /** Reason why the last attempt failed. */
  readonly error: string | undefined;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Service that sends signed webhooks from a queue. */
export interface WebhookSender extends MigratedService {
  /**
   * Sends an event to an endpoint and returns the ID of the delivery. Inside a transaction, it is sent after the commit.
   *
   * The body is `{ type, timestamp, data }` (Standard Webhooks 1.0). Any response with 2xx ends the delivery. 410 ends it as
   * well, and calls `onGone`. After any other response, and without one, the queue tries again: 12 times in about two days.
   *
   * @throws E_WEBHOOK_EVENT for an invalid type, or data that JSON cannot represent
   */
  send(endpoint: string, event: WebhookEvent, options?: ContextOptions): Promise<string>;
  /** Sends a delivery again, with the same `webhook-id` and body. Returns false if it does not exist or was deleted. */
  redeliver(id: string, options?: ContextOptions): Promise<boolean>;
  /** Returns a delivery, or `undefined` if it does not exist or was deleted. */
  findOpt(id: string, options?: ContextOptions): Promise<WebhookDelivery | undefined>;
  /**
   * Returns a page of deliveries, newest first, and the number of all matches. Filters: `endpoint`, `status` and `type`.
   *
   * @throws E_SEARCH (400)
   * @example
   * await webhooks.search({ filterBy: { endpoint: endpoint.id, status: "failed" } });
   */
  search(
    parameters?: SearchParameters,
    options?: ContextOptions,
  ): Promise<readonly [deliveries: readonly WebhookDelivery[], total: number]>;
}
