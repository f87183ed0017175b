import type { Session } from "node:inspector/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ConfigurationInternals } from "../../config/index.ts";
import type { Middleware } from "../../http/router/index.ts";

/**
 * Returns names of middlewares that have none: the function that created them, if they use one of its variables, or else
 * their position: `anonymous (web/guards.ts:7)`. The inspector of V8 knows both. Without it, as on Bun, the result is empty.
 */
export async function describeUnnamed(middlewares: readonly Middleware[]): Promise<ReadonlyMap<Middleware, string>> {
  const names = new Map<Middleware, string>();
  if (middlewares.length === 0) return names;
  let session: Session | undefined;
  try {
    const inspector = await import("node:inspector/promises");
    session = new inspector.Session();
    session.connect();
    const files = new Map<string, string>();
    session.on("Debugger.scriptParsed", ({ params }) => files.set(params.scriptId, params.url));
    await session.post("Debugger.enable");
    for (const middleware of middlewares) names.set(middleware, await describeMiddleware(session, middleware, files));
  } catch {
    // The runtime has no inspector, or only parts of it.
  } finally {
    session?.disconnect();
  }
  return names;
}

const globalKey = Symbol.for("limmat.unnamed");

async function describeMiddleware(
  session: Session,
  middleware: Middleware,
  files: ReadonlyMap<string, string>,
): Promise<string> {
  // Code that the inspector evaluates sees only global variables.
  Object.assign(globalThis, { [globalKey]: middleware });
  const expression = `globalThis[Symbol.for(${JSON.stringify(globalKey.description)})]`;
  const { result } = await session.post("Runtime.evaluate", { expression });
  Reflect.deleteProperty(globalThis, globalKey);
  const { internalProperties = [] } = await session.post("Runtime.getProperties", { objectId: result.objectId ?? "" });
  const valueOf = (name: string): RemoteValue => internalProperties.find((property) => property.name === name)?.value;
  const objectId = valueOf("[[Scopes]]")?.objectId ?? "";
  const { result: scopes } = await session.post("Runtime.getProperties", { objectId, ownProperties: true });
  const closures = scopes.map(({ value }) => /^Closure \((.+)\)$/.exec(value?.description ?? "")?.[1]);
  return closures.find((name) => name !== undefined) ?? positionOf(valueOf("[[FunctionLocation]]"), files);
}

type RemoteValue = { readonly objectId?: string | undefined; readonly value?: unknown } | undefined;

function positionOf(location: RemoteValue, files: ReadonlyMap<string, string>): string {
  const { scriptId = "", lineNumber = 0 } = Object(location?.value) as { scriptId?: string; lineNumber?: number };
  const url = files.get(scriptId) ?? "";
  if (!url.startsWith("file:")) return "anonymous";
  return `anonymous (${relative(ConfigurationInternals.root(), fileURLToPath(url))}:${lineNumber + 1})`;
}
