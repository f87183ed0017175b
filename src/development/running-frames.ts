import { fileURLToPath } from "node:url";
import type { Frame } from "../core/stack.ts";
import { TimeInternals } from "../time/index.ts";

// A busy machine takes long to open a connection. A process that responds and does not pause runs no code.
const connectTimeoutMs = 5000;
const pauseTimeoutMs = 1000;
const enableId = 1;

/** Message of the inspector: a subset of the Chrome DevTools protocol. */
interface InspectorMessage {
  /** Number of the command that the message responds to. */
  readonly id?: number;
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
 * process waits, or if another debugger has stopped it. `url` is the WebSocket address of its inspector, which Node
 * prints after SIGUSR1.
 */
export function readRunningFrames(url: string): Promise<readonly Frame[]> {
  const result = Promise.withResolvers<readonly Frame[]>();
  const files = new Map<string, string>();
  const socket = new WebSocket(url);
  const send = (id: number, method: string): void => socket.send(JSON.stringify({ id, method }));
  const endAfter = (ms: number): (() => void) => TimeInternals.after(ms, () => result.resolve([]));
  let cancelTimer = endAfter(connectTimeoutMs);
  let isEnabled = false;
  socket.addEventListener("open", () => send(enableId, "Debugger.enable"));
  socket.addEventListener("message", ({ data }) => {
    const { id, method, params } = JSON.parse(String(data)) as InspectorMessage;
    if (id === enableId) {
      isEnabled = true;
      cancelTimer();
      cancelTimer = endAfter(pauseTimeoutMs);
      send(2, "Debugger.pause");
    }
    if (method === "Debugger.scriptParsed") files.set(params?.scriptId ?? "", params?.url ?? "");
    if (method !== "Debugger.paused") return;
    // V8 announces the stop of another debugger before it responds. The process stays at that breakpoint.
    if (!isEnabled) return result.resolve([]);
    send(3, "Debugger.resume");
    const frames = (params?.callFrames ?? []).map(({ functionName, location }) => ({
      name: functionName,
      file: scriptPath(files.get(location.scriptId) ?? ""),
      line: location.lineNumber + 1,
      column: (location.columnNumber ?? 0) + 1,
    }));
    result.resolve(frames);
  });
  socket.addEventListener("error", () => result.resolve([]));
  return result.promise.finally(() => {
    cancelTimer();
    socket.close();
  });
}

const scriptPath = (url: string): string => (url.startsWith("file:") ? fileURLToPath(url) : url);
