import { error, isError, ok } from "../../../core/index.ts";
import { Outbound } from "../../../outbound/index.ts";
import { Time } from "../../../time/index.ts";
import type { HandlerResult, JobCall, JobDefinition } from "../../queue/contract.ts";
import type { SenderOptions, WebhookDelivery } from "../contract.ts";
import { errors } from "../errors.ts";
import { type AttemptRecord, recordAttempt, selectBody, selectDelivery, setStatus } from "../store/deliveries.ts";
import { signWebhook } from "./signature.ts";

/** Input of the job. The secrets are not part of it. */
export interface DeliveryInput {
  readonly delivery: string;
}

/** The body of a response tells nothing: this much is read to let the receiver end its answer. */
const maxResponseBytes = 65_536;

// Each delay is twice the one before, plus up to a quarter: the eleven are 43 to 53 hours.
const [maxAttempts, retryDelayMs] = [12, Time.seconds(75)];

const gone = 410;

/** Makes the job that sends a delivery. It asks for the endpoint at each attempt, so that a new URL or secret counts. */
export function deliveryJob(options: SenderOptions): JobDefinition<DeliveryInput> {
  const { database, findEndpoint, onGone, timeoutMs = Time.seconds(15) } = options;

  const attempt = async (delivery: WebhookDelivery, { ctx, signal }: JobCall): Promise<AttemptRecord> => {
    const endpoint = await findEndpoint(delivery.endpoint, { ctx });
    if (endpoint === undefined) return { status: "failed", error: "the application has no such endpoint." };
    const { id } = delivery;
    const body = await database.find(selectBody(id), { ctx });
    try {
      const headers = { ...signWebhook(body, { id, secrets: endpoint.secrets }), "content-type": "application/json" };
      const request = { method: "POST", headers, body, timeoutMs, maxBytes: maxResponseBytes, truncate: true, signal };
      const { ok: isAccepted, status } = await Outbound.fetch(endpoint.url, request);
      if (isAccepted) return { status: "succeeded", responseStatus: status };
      const problem = { responseStatus: status, error: `it answered with ${status}.` };
      return { ...problem, status: status === gone ? "failed" : "pending" };
    } catch (failure) {
      signal.throwIfAborted();
      if (!isError(failure)) throw failure;
      return { status: failure.code === "E_OUTBOUND_URL" ? "failed" : "pending", error: failure.message };
    }
  };

  return {
    name: "webhook.deliver",
    maxAttempts,
    retryDelayMs,
    unique: ({ delivery }) => delivery,
    handle: async ({ delivery: id }, call): Promise<HandlerResult> => {
      const { ctx } = call;
      const delivery = await database.findOpt(selectDelivery(id), { ctx });
      if (delivery?.status !== "pending") return ok();
      const record = await attempt(delivery, call);
      // Before the record, which ends the delivery: if it fails, it is called again after the next attempt.
      if (record.responseStatus === gone) await onGone?.(delivery.endpoint, { ctx });
      await database.exec(recordAttempt(id, record), { ctx });
      if (record.status === "succeeded") return ok();
      const problem = errors.E_WEBHOOK_DELIVERY(delivery.endpoint, record.error ?? "");
      if (record.status === "failed") return error(problem);
      throw problem;
    },
    failed: async ({ job, ctx }) => {
      const { delivery } = JSON.parse(job.input) as DeliveryInput;
      await database.exec(setStatus(delivery, "failed"), { ctx });
    },
  };
}
