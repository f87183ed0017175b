export { type PageOptions, pagePolicy, pageStyle, type PageStyle, renderPage, sharedStyle } from "./page.ts";
