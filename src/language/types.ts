import type { Html } from "../html/index.ts";

/** Texts of one language, in groups of any depth. A text with a plural that needs no package may be a function. */
export interface Catalogue {
  readonly [key: string]: string | Catalogue | ((values: never) => string);
}

/** Content of a placeholder: a name, and in the syntax of MessageFormat 2 a function with options. */
type NameOf<Placeholder extends string> = Placeholder extends `${infer Name} ${string}` ? Name : Placeholder;

/** Values that a function of MessageFormat 2 formats. */
type ValueOf<Function extends string> = Function extends "date" | "time" | "datetime" | "relative"
  ? Date | string
  : Function extends "number" | "integer" | "percent" | "currency" | "unit" | "offset"
    ? number | bigint
    : Function extends "list"
      ? readonly string[]
      : string | number | bigint;

type ArgumentOf<Placeholder extends string> = Placeholder extends `${infer Name} :${infer Function}`
  ? { readonly [K in Name]: ValueOf<NameOf<Function>> }
  : { readonly [K in NameOf<Placeholder>]: ValueOf<""> };

type VariablesOf<Text extends string, Result = unknown> = Text extends `${string}{$${infer Placeholder}}${infer Rest}`
  ? VariablesOf<Rest, Result & ArgumentOf<Placeholder>>
  : Result;

type MarkupOf<Text extends string, Result = unknown> = Text extends `${string}{#${infer Placeholder}}${infer Rest}`
  ? MarkupOf<Rest, Result & { readonly [K in MarkupName<Placeholder>]: (content: Html) => Html }>
  : Result;

type MarkupName<Placeholder extends string> = NameOf<
  Placeholder extends `${infer Name}/` ? (Name extends `${infer Trimmed} ` ? Trimmed : Name) : Placeholder
>;

/** Names that a text of MessageFormat 2 declares itself: `.local $half = {…}`. */
type LocalsOf<Text extends string, Names extends string = never> = Text extends `.${string}`
  ? Text extends `${string}.local $${infer Name} ${infer Rest}`
    ? LocalsOf<`.${Rest}`, Names | Name>
    : Names
  : Names;

/** Values of a text: `{ name: string | number | bigint }` for `"Hello {$name}"`. */
export type ValuesOf<Text extends string> = Flat<Omit<VariablesOf<Text> & MarkupOf<Text>, LocalsOf<Text>>>;

type Flat<T> = { readonly [K in keyof T]: T[K] };

/**
 * Texts of a catalogue, in the language of the current context. A text without placeholders is a string, one with values a
 * function. A text with markup (`{#link}…{/link}`) returns `Html`.
 */
export type Texts<Base> = { readonly [Key in keyof Base]: TextOf<Base[Key]> };

type TextOf<Text> = Text extends string
  ? Text extends `${string}{#${string}`
    ? (values: ValuesOf<Text>) => Html
    : Text extends `${string}{$${string}`
      ? (values: ValuesOf<Text>) => string
      : string
  : Text extends (...values: never) => string
    ? Text
    : Texts<Text>;

/** Requires the variables of the base text. An intersection of patterns: TypeScript checks it without inference. */
type VariablePattern<
  Text extends string,
  Result = string,
> = Text extends `${string}{$${infer Placeholder}}${infer Rest}`
  ? VariablePattern<Rest, Result & `${string}{$${NameOf<Placeholder>}${"}" | " "}${string}`>
  : Result;

type MarkupPattern<Text extends string, Result = string> = Text extends `${string}{#${infer Placeholder}}${infer Rest}`
  ? MarkupPattern<Rest, Result & `${string}{#${MarkupName<Placeholder>}${"}" | " " | "/"}${string}`>
  : Result;

/**
 * Translation of a catalogue: the same keys, and in each text the same placeholders.
 * `export const de = { … } as const satisfies Language.Translation<typeof en>;`
 */
export type Translation<Base> = {
  readonly [Key in keyof Base]: Base[Key] extends string
    ? Base[Key] extends `.${string}`
      ? `${string}{$${string}`
      : VariablePattern<Base[Key]> & MarkupPattern<Base[Key]>
    : Base[Key] extends (values: never) => string
      ? Base[Key]
      : Translation<Base[Key]>;
};

type NamesOf<
  Text extends string,
  Names extends string = never,
> = Text extends `${string}{$${infer Placeholder}}${infer Rest}` ? NamesOf<Rest, Names | NameOf<Placeholder>> : Names;

type MarkupNamesOf<
  Text extends string,
  Names extends string = never,
> = Text extends `${string}{#${infer Placeholder}}${infer Rest}`
  ? MarkupNamesOf<Rest, Names | MarkupName<Placeholder>>
  : Names;

/** Messages about placeholders that the base text lacks; `never` if there are none. */
export type Problems<Base, Translated, Path extends string> = {
  readonly [Key in keyof Translated & string]: Translated[Key] extends `${string}{${string}`
    ? UnknownName<Exclude<NamesOfText<Translated[Key]>, NamesOfText<Base[Key & keyof Base]>>, `${Path}.${Key}`>
    : Translated[Key] extends Catalogue
      ? Problems<Base[Key & keyof Base], Translated[Key], `${Path}.${Key}`>
      : never;
}[keyof Translated & string];

type UnknownName<Name, Path extends string> = [Name] extends [never]
  ? never
  : `${Path} has the unknown placeholder ${Name & string}`;

type NamesOfText<Text> = Text extends string
  ? Text extends `.${string}`
    ? Exclude<NamesOf<Text>, LocalsOf<Text>>
    : NamesOf<Text> | (Text extends `${string}{#${string}` ? MarkupNamesOf<Text> : never)
  : never;
