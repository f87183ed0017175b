export { button, layout, type LayoutOptions } from "./layout.ts";
export { linkMessage, type LinkMessage, type MailBody } from "./link-message.ts";
