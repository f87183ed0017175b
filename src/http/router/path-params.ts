/** The names in a path: `:id` is one segment, `:id?` one that may be missing, `*rest` one or more at the end. */
type Segments<Path extends string> = Path extends `${infer Head}/${infer Tail}` ? Head | Segments<Tail> : Path;
type Required<Segment extends string> = Segment extends `:${string}?`
  ? never
  : Segment extends `:${infer Name}` | `*${infer Name}`
    ? Name
    : never;
type Optional<Segment extends string> = Segment extends `:${infer Name}?` ? Name : never;

/**
 * The parameters of a path, by its literal text: those of `/lists/:list/todos/:id` are `{ list: string; id: string }`.
 * For a path that is only known when the program runs, any name may be asked for.
 */
export type PathParams<Path extends string> = string extends Path
  ? Readonly<Record<string, string>>
  : { readonly [Name in Required<Segments<Path>>]: string } & {
      readonly [Name in Optional<Segments<Path>>]?: string;
    };
