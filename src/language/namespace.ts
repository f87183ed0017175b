export { current, currentTimeZone as timeZone, direction, type Locale } from "./context.ts";
export { type Formatter, type Language, type LanguageOptions, make } from "./language.ts";
export type { ErrorTexts, FrameworkTexts } from "./texts/types.ts";
export type { CompiledText } from "./template.ts";
export type { Catalogue, Texts, Translation, ValuesOf } from "./types.ts";
