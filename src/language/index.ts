export type { Language as LanguageValue } from "./language.ts";
export * as LanguageInternals from "./internal.ts";
export * as Language from "./namespace.ts";
