import { createHmac } from "node:crypto";
import { Random } from "../../../random/index.ts";
import { Time } from "../../../time/index.ts";
import type { SignatureForm, SignedRequest, SignOptions } from "../contract.ts";
import { errors } from "../errors.ts";

/** Signatures of a request, and the values that they cover beside the body. */
export interface SignatureClaim {
  /** Identifier of the event; `undefined` if the content has it. */
  readonly id: string | undefined;
  /** Seconds since 1970, in digits. */
  readonly timestamp: string;
  readonly signatures: readonly string[];
}

/** Values that a signature covers beside the body. */
type SignedValues = Omit<SignatureClaim, "signatures">;

/** Form of a signature. Both forms are HMAC-SHA256 of a prefix and the body. */
interface SignatureScheme {
  readonly encoding: "base64" | "hex";
  /** Returns the key of a secret, an empty one for a text that is none. */
  readonly keyOf: (secret: string) => Buffer;
  readonly prefix: (claim: SignedValues) => string;
  readonly read: (request: SignedRequest) => SignatureClaim;
  readonly write: (claim: SignatureClaim) => Readonly<Record<string, string>>;
}

/** Minimum size of a key, in bytes. Standard Webhooks asks for 24, and some senders use fewer: these cannot be guessed. */
const minKeyBytes = 16;

const standard: SignatureScheme = {
  encoding: "base64",
  keyOf: (secret) => Buffer.from(/^whsec_([A-Za-z\d+/]+={0,2})$/.exec(secret)?.[1] ?? "", "base64"),
  prefix: ({ id, timestamp }) => `${id}.${timestamp}.`,
  read: (request) => {
    const id = request.header("webhook-id") ?? "";
    return {
      // A dot could move the border between the identifier and what follows.
      id: /^[^\s.]{1,255}$/.test(id) ? id : "",
      timestamp: request.header("webhook-timestamp") ?? "",
      signatures: valuesOf(request.header("webhook-signature"), " ", "v1,"),
    };
  },
  write: ({ id = "", timestamp, signatures }) => ({
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.map((signature) => `v1,${signature}`).join(" "),
  }),
};

const stripe: SignatureScheme = {
  encoding: "hex",
  // The key is the whole text, with its beginning `whsec_`.
  keyOf: (secret) => Buffer.from(secret),
  prefix: ({ timestamp }) => `${timestamp}.`,
  read: (request) => {
    const header = request.header("stripe-signature");
    const [timestamp = ""] = valuesOf(header, ",", "t=");
    return { id: undefined, timestamp, signatures: valuesOf(header, ",", "v1=") };
  },
  write: ({ timestamp, signatures }) => ({
    "stripe-signature": [`t=${timestamp}`, ...signatures.map((signature) => `v1=${signature}`)].join(","),
  }),
};

const schemes: Readonly<Record<SignatureForm, SignatureScheme>> = { standard, stripe };

/** Returns the values of the parts of a header that begin with a key. */
const valuesOf = (header: string | undefined, separator: string, key: string): readonly string[] =>
  (header ?? "").split(separator).flatMap((part) => (part.startsWith(key) ? part.slice(key.length) : []));

/** Returns the keys of secrets. @throws E_WEBHOOK_SECRET */
export function keysOf(secrets: readonly string[], form: SignatureForm): readonly Buffer[] {
  if (secrets.length === 0) throw errors.E_WEBHOOK_SECRET("there is none. Configure at least one");
  const keys = secrets.map((secret) => schemes[form].keyOf(secret));
  const shape =
    form === "standard" ? `whsec_ and at least ${minKeyBytes} bytes in base64` : `${minKeyBytes} characters or more`;
  if (keys.some(({ length }) => length < minKeyBytes))
    throw errors.E_WEBHOOK_SECRET(`in the form "${form}", a secret has ${shape}`);
  return keys;
}

/** Returns the signature by a key over the bytes of a body. */
export function signatureOf(form: SignatureForm, key: Buffer, values: SignedValues, body: Uint8Array | string): string {
  const { prefix, encoding } = schemes[form];
  return createHmac("sha256", key).update(prefix(values)).update(body).digest(encoding);
}

/** Reads the signature headers of a request. Missing ones are empty texts. */
export const readClaim = (form: SignatureForm, request: SignedRequest): SignatureClaim => schemes[form].read(request);

/**
 * Returns the headers that sign a body, with a signature by each secret: for senders of their own, and for tests of a route
 * that receives webhooks.
 *
 * @throws E_WEBHOOK_SECRET
 * @example
 * const headers = Webhook.sign(body, { id: "evt_1", secrets: [secret], form: "stripe" });
 * const response = await app.request("/webhooks/payments", { method: "POST", body, headers });
 */
export function signWebhook(
  body: Uint8Array | string,
  { id, secrets, form = "standard", sentAt = Time.now() }: SignOptions,
): Readonly<Record<string, string>> {
  const values = { id, timestamp: String(Math.floor(sentAt.getTime() / 1000)) };
  const signatures = keysOf(secrets, form).map((key) => signatureOf(form, key, values, body));
  return schemes[form].write({ ...values, signatures });
}

/** Returns a new secret of an endpoint: `whsec_` and 32 random bytes in base64. */
export function createSecret(): string {
  return `whsec_${Random.bytes(32).toString("base64")}`;
}
