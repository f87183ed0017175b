/** Environment variable of the application with the port of the development server, which only that server sets. */
export const developmentPortVariable = "DEVELOPMENT_PORT";

/** Name of the diagnostics channel with the errors that end a command. */
export const failureChannelName = "limmat.failure";

/** Name of the diagnostics channel with functions that return the labels of the pending migration steps. */
export const pendingMigrationsChannelName = "limmat.pending-migrations";

/** Name of the diagnostics channel with the requests that the application begins to handle: `{ id, method, path }`. */
export const requestChannelName = "limmat.request";

/** Name of the diagnostics channel whose subscriber, the database, adds statements to a `RequestStatements`. */
export const requestStatementsChannelName = "limmat.request-statements";

/** Statements of a request, in the order of their first run. Only development counts them. */
export interface RequestStatements {
  readonly requestId: string;
  readonly statements: { readonly text: string; readonly count: number; readonly at: string }[];
}

// A route of a resource is declared several calls below the line of the application.
const maxFrames = 30;

/** Returns the stack of the caller under the development server, so that errors can name the line of a declaration. */
export function declarationStack(): Error | undefined {
  if (process.env[developmentPortVariable] === undefined) return undefined;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = maxFrames;
  const stack = new Error("declaration");
  Error.stackTraceLimit = stackTraceLimit;
  return stack;
}

/** Adds the stacks of the declarations that an error is about. Logs do not print them. */
export function withDeclarations<Failure extends Error>(
  failure: Failure,
  ...stacks: readonly (Error | undefined)[]
): Failure {
  const value = stacks.filter((stack) => stack !== undefined);
  return value.length === 0 ? failure : Object.defineProperty(failure, "declarations", { value });
}

/** Returns the stacks of the declarations that an error is about; empty outside of the development server. */
export function declarationsOf(failure: unknown): readonly Error[] {
  const { declarations } = Object(failure) as { readonly declarations?: unknown };
  return Array.isArray(declarations) ? declarations.filter((stack) => stack instanceof Error) : [];
}
