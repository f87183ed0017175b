export type {
  DeliveryStatus,
  OnceOptions,
  SenderOptions,
  SignatureForm,
  SignatureOptions,
  SignedRequest,
  SignOptions,
  VerifiedWebhook,
  VerifyOptions,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEvent,
  WebhookReceiver,
  WebhookSender,
} from "./contract.ts";
export { createSecret, signWebhook as sign } from "./engine/signature.ts";
export { verify } from "./engine/verify.ts";
export { receiver, type ReceiverOptions } from "./receiver.ts";
export { sender } from "./sender.ts";
