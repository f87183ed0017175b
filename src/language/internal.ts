export { enter, setDefaultLanguage } from "./context.ts";
