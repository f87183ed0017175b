export { addressKey, findAddressProblem } from "../../email-address/index.ts";
export { button, layout, type LayoutOptions } from "../../mail-layout/index.ts";
export type {
  AttachmentContent,
  AttachmentFile,
  CapturedMail,
  EmailAddress,
  EmailAttachment,
  EmailMessage,
  EmailService,
  Inbox,
  Mail,
  MailAttachment,
  MailContent,
  Mailbox,
  MailPreview,
  SendFailure,
} from "./contract.ts";
export { failover } from "./failover.ts";
export { queued, type QueuedOptions } from "./queued.ts";
export type {
  EmailTemplate,
  RenderedTemplate,
  TemplateInput,
  TemplateQuery,
  TemplateService,
} from "./template/contract.ts";
export * as Template from "./template/templates.ts";
export { memory } from "./transport/memory/memory.ts";
export * as Web from "./web/inbox.ts";
