/** Segments of a path: `:id` matches one segment, `:id?` one or none, `*rest` one or more at the end. */
type Segments<Path extends string> = Path extends `${infer Head}/${infer Tail}` ? Head | Segments<Tail> : Path;
type Required<Segment extends string> = Segment extends `:${string}?`
  ? never
  : Segment extends `:${infer Name}` | `*${infer Name}`
    ? Name
    : never;
type Optional<Segment extends string> = Segment extends `:${infer Name}?` ? Name : never;

/**
 * Parameters of a path, inferred from its literal type: `/lists/:list/todos/:id` has `{ list: string; id: string }`. A path
 * of type `string` has a parameter of every name.
 */
export type PathParams<Path extends string> = string extends Path
  ? Readonly<Record<string, string>>
  : { readonly [Name in Required<Segments<Path>>]: string } & {
      readonly [Name in Optional<Segments<Path>>]?: string;
    };
