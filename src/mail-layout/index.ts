export { button, layout, type LayoutOptions } from "./layout.ts";
export { linkMessage } from "./link-message.ts";
