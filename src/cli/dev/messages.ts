/** What the process of an application tells the development server. */
export type FromChild =
  /** The application imports this file. */
  | { readonly kind: "file"; readonly path: string }
  /** The application listens. */
  | { readonly kind: "listening"; readonly port: number };

/** What it is told first: which packages to load ahead of time. */
export interface Preparation {
  /** URLs of modules. */
  readonly packages: readonly string[];
}

/** What it is told when it is its turn. */
export interface Turn {
  /** The port of the development server, where browsers come. */
  readonly port: number;
}
