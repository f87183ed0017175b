// Client of the language server of TypeScript (LSP 3.17), for tests of what an editor shows. This file contains no tests.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "../sources.ts";

/** Position in a file, line and character from 0. */
interface Position {
  readonly line: number;
  readonly character: number;
}

/** Problem that the editor marks. */
export interface Diagnostic {
  readonly range: { readonly start: Position };
  /** 1 for an error. */
  readonly severity: number;
  readonly message: string;
}

/** File that is open in the editor. */
export interface OpenFile {
  readonly text: string;
  /** Returns the declaration that the editor shows at a position, without documentation. */
  readonly hover: (position: Position) => Promise<string>;
  readonly diagnostics: () => Promise<readonly Diagnostic[]>;
  /** Returns the names that the editor offers at a position. Those of optional properties end with a question mark. */
  readonly completions: (position: Position) => Promise<readonly string[]>;
}

interface Completion {
  readonly label: string;
}

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/**
 * Starts the language server for the project that contains a file, and opens it, with another text if one is given. The
 * server ends with the disposal.
 */
export async function openFile(
  path: string,
  text: string = readFileSync(path, "utf8"),
): Promise<OpenFile & Disposable> {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const server = spawn(process.execPath, [compiler, "--lsp", "--stdio"], {
    cwd: root,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  readMessages(server.stdout, (answer) => {
    // The server asks for settings and for progress bars: it gets none.
    if (answer.method === undefined) waiting.get(answer.id ?? 0)?.(answer);
    else if (answer.id !== undefined) send({ id: answer.id, result: null });
  });
  let lastId = 0;
  const request = async <T>(method: string, params: object): Promise<T> => {
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    waiting.set(id, resolve);
    send({ id, method, params });
    const { result, error } = await promise;
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result as T;
  };

  const uri = pathToFileURL(path).href;
  const capabilities = { textDocument: { hover: { contentFormat: ["markdown"] }, diagnostic: {} } };
  await request("initialize", { processId: process.pid, rootUri: pathToFileURL(root).href, capabilities });
  send({ method: "initialized", params: {} });
  send({
    method: "textDocument/didOpen",
    params: { textDocument: { uri, languageId: "typescript", version: 1, text } },
  });
  return {
    text,
    hover: async (position) => {
      const params = { textDocument: { uri }, position };
      const hover = await request<{ readonly contents: { readonly value: string } } | null>(
        "textDocument/hover",
        params,
      );
      return /```\w*\n([^]*?)\n```/.exec(hover?.contents.value ?? "")?.[1] ?? "";
    },
    diagnostics: async () => {
      const params = { textDocument: { uri } };
      return (await request<{ readonly items: readonly Diagnostic[] }>("textDocument/diagnostic", params)).items;
    },
    completions: async (position) => {
      const params = { textDocument: { uri }, position };
      const list = await request<{ readonly items: readonly Completion[] } | null>("textDocument/completion", params);
      return list?.items.map(({ label }) => label) ?? [];
    },
    [Symbol.dispose]: () => void server.kill(),
  };
}

/** Reads the messages of a stream: a header with the length, an empty line, and JSON. */
function readMessages(stream: NodeJS.ReadableStream, onMessage: (message: Answer) => void): void {
  let buffer = Buffer.alloc(0);
  stream.on("data", (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const end = buffer.indexOf("\r\n\r\n");
      const length = Number(/Content-Length: (\d+)/i.exec(buffer.toString("latin1", 0, end))?.[1]);
      if (end === -1 || buffer.length < end + 4 + length) return;
      onMessage(JSON.parse(buffer.toString("utf8", end + 4, end + 4 + length)) as Answer);
      buffer = buffer.subarray(end + 4 + length);
    }
  });
}
