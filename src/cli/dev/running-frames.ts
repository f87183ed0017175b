import { fileURLToPath } from "node:url";
import type { Frame } from "../../core/stack.ts";

const pauseTimeoutMs = 1000;

/** Message of the inspector: a subset of the Chrome DevTools protocol. */
interface InspectorMessage {
  readonly method?: string;
  readonly params?: {
    readonly scriptId?: string;
    readonly url?: string;
    readonly callFrames?: readonly {
      readonly functionName: string;
      readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber?: number };
    }[];
  };
}

/**
 * Returns the stack of a process that computes, the innermost frame first, and lets it run on. Returns no frames if the
 * process waits. `url` is the WebSocket address of its inspector, which Node prints after SIGUSR1.
 */
export function readRunningFrames(url: string): Promise<readonly Frame[]> {
  const result = Promise.withResolvers<readonly Frame[]>();
  const files = new Map<string, string>();
  const socket = new WebSocket(url);
  socket.addEventListener("open", () => {
    socket.send(JSON.stringify({ id: 1, method: "Debugger.enable" }));
    socket.send(JSON.stringify({ id: 2, method: "Debugger.pause" }));
  });
  socket.addEventListener("message", ({ data }) => {
    const { method, params } = JSON.parse(String(data)) as InspectorMessage;
    if (method === "Debugger.scriptParsed") files.set(params?.scriptId ?? "", params?.url ?? "");
    if (method !== "Debugger.paused") return;
    const frames = (params?.callFrames ?? []).map(({ functionName, location }) => ({
      name: functionName,
      file: scriptPath(files.get(location.scriptId) ?? ""),
      line: location.lineNumber + 1,
      column: (location.columnNumber ?? 0) + 1,
    }));
    result.resolve(frames);
  });
  socket.addEventListener("error", () => result.resolve([]));
  const timer = setTimeout(() => result.resolve([]), pauseTimeoutMs);
  return result.promise.finally(() => {
    clearTimeout(timer);
    // The process runs on when its debugger has gone.
    socket.close();
  });
}

const scriptPath = (url: string): string => (url.startsWith("file:") ? fileURLToPath(url) : url);
