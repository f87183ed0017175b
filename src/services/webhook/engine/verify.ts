import { type LimmatError, parseJson } from "../../../core/index.ts";
import { constantTimeEqual } from "../../../random/index.ts";
import { Time } from "../../../time/index.ts";
import type { SignedRequest, VerifiedWebhook, VerifyOptions } from "../contract.ts";
import { errors } from "../errors.ts";
import { keysOf, readClaim, signatureOf } from "./signature.ts";

/** Maximum number of signatures of a request, one for each secret of the sender. */
const maxSignatures = 20;

/**
 * Verifies the signature of a webhook over the bytes of its body, in constant time, and returns its content. List the route
 * in a router with the middlewares `Web.Middleware.api()`: those of a site refuse the request without a CSRF token.
 *
 * A repetition has a valid signature as well: pass the `id` to `once` of a receiver.
 *
 * @throws E_WEBHOOK_SIGNATURE (401) whatever is missing, wrong or too old; E_WEBHOOK_CONTENT (400) if a signed body is not
 * JSON, or has no `id` in Stripe's form; E_WEBHOOK_SECRET; E_BODY_TOO_LARGE (413)
 * @example
 * const event = await Webhook.verify(request, { secrets: [Configuration.read(paymentSecret)], form: "stripe" });
 * await webhook.once(event.id, () => recordPayment(event.content));
 */
export async function verify(request: SignedRequest, options: VerifyOptions): Promise<VerifiedWebhook> {
  const { secrets, form = "standard", toleranceMs = Time.minutes(5) } = options;
  const keys = keysOf(secrets, form);
  const claim = readClaim(form, request);
  const { id, timestamp, signatures } = claim;
  if (id === "" || !/^\d{1,12}$/.test(timestamp) || signatures.length > maxSignatures)
    throw refusal("its headers are missing or malformed");
  const sentAt = new Date(Number(timestamp) * 1000);
  const isRecent = Math.abs(Time.now().getTime() - sentAt.getTime()) <= toleranceMs;
  if (!isRecent) throw refusal("its time is too far from the clock of this machine");
  const body = await request.bytes();
  const expected = keys.map((key) => signatureOf(form, key, claim, body));
  if (!expected.some((signature) => signatures.some((sent) => constantTimeEqual(sent, signature))))
    throw refusal("it was made with another secret, or over another body");
  return { ...parseContent(body, id), sentAt };
}

const refusal = (reason: string): LimmatError =>
  errors.E_WEBHOOK_SIGNATURE().causedBy(new Error(`The signature is refused: ${reason}`));

/** Parses a body whose signature is valid. Without `id`, the content has it. @throws E_WEBHOOK_CONTENT */
function parseContent(body: Uint8Array, id?: string): Pick<VerifiedWebhook, "id" | "content"> {
  let content: unknown;
  try {
    content = parseJson(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (cause) {
    throw errors.E_WEBHOOK_CONTENT().causedBy(cause);
  }
  const eventId: unknown = id ?? (Object(content) as { readonly id?: unknown }).id;
  if (typeof eventId === "string" && eventId !== "") return { id: eventId, content };
  throw errors.E_WEBHOOK_CONTENT().causedBy(new Error("The content has no id"));
}
