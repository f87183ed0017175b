export { addressProblem } from "../../email-address/index.ts";
export type {
  AttachmentContent,
  AttachmentFile,
  EmailAddress,
  EmailAttachment,
  EmailMessage,
  EmailService,
  Inbox,
  KeptMail,
  Mail,
  MailAttachment,
  Mailbox,
  Unsent,
} from "./contract.ts";
export { failover } from "./failover.ts";
export { button, layout, type LayoutOptions } from "./layout.ts";
export { memory, type MemoryOptions } from "./memory.ts";
export { queued, type QueuedOptions } from "./queued.ts";
export type {
  EmailTemplate,
  RenderedTemplate,
  TemplateErrors,
  TemplateInput,
  TemplateQuery,
  TemplateService,
} from "./template/contract.ts";
export { render } from "./template/render.ts";
export { templateSchema } from "./template/schema.ts";
export { templates, type TemplatesOptions } from "./template/templates.ts";
export { type EmailDefinition, makeEmail, senderField, type SentMail, type Transport } from "./transport.ts";
export * as Web from "./web.ts";
