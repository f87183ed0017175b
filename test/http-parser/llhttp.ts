// llhttp, the parser of `node:http`, as WebAssembly. The package undici contains it.
import { createRequire } from "node:module";
import type { ParsedRequest, Transcript } from "./transcript.ts";

type Span = (parser: number, at: number, length: number) => number;

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly malloc: (bytes: number) => number;
  readonly llhttp_alloc: (type: number) => number;
  readonly llhttp_free: (parser: number) => void;
  readonly llhttp_execute: (parser: number, at: number, length: number) => number;
  readonly llhttp_get_error_reason: (parser: number) => number;
  readonly llhttp_get_error_pos: (parser: number) => number;
  readonly llhttp_get_method: (parser: number) => number;
  readonly llhttp_get_http_minor: (parser: number) => number;
  readonly llhttp_should_keep_alive: (parser: number) => number;
}

interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Exports };
}

const require = createRequire(import.meta.url);
const { METHODS, ERROR } = require("undici/lib/llhttp/constants.js") as Record<
  "METHODS" | "ERROR",
  Readonly<Record<string, number>>
>;
const nameByCode = (codes: Readonly<Record<string, number>>): ReadonlyMap<number, string> =>
  new Map(Object.entries(codes).map(([name, code]) => [code, name]));
const methods = nameByCode(METHODS);
const errorNames = nameByCode(ERROR);

/** Bytes that fit into the memory of the parser. */
export const maxInputBytes: number = 1024 * 1024;

interface MutableRequest extends ParsedRequest {
  headers: string[];
}

let input: Buffer = Buffer.alloc(0);
let target = "";
let fields: string[] = [];
let isInValue = false;
let requests: MutableRequest[] = [];
let isInRequest = false;
let responseCount = 0;

const textOf = (at: number, length: number): string => input.toString("latin1", at - base, at - base + length);
const ignore = (): number => 0;

function onName(_parser: number, at: number, length: number): number {
  if (isInValue || fields.length % 2 === 0) fields.push(textOf(at, length));
  else fields[fields.length - 1] += textOf(at, length);
  isInValue = false;
  return 0;
}

function onValue(_parser: number, at: number, length: number): number {
  if (isInValue) fields[fields.length - 1] += textOf(at, length);
  else fields.push(textOf(at, length));
  isInValue = true;
  return 0;
}

function onHead(parser: number): number {
  requests.push({
    method: methods.get(wasm.llhttp_get_method(parser)) ?? "",
    target,
    minorVersion: wasm.llhttp_get_http_minor(parser),
    headers: fields.map((field) => field.replace(/[ \t]+$/, "")),
    body: "",
    isComplete: false,
    keepsAlive: wasm.llhttp_should_keep_alive(parser) === 1,
  });
  return 0;
}

const imports: Readonly<Record<string, Span>> = {
  wasm_on_message_begin: () => {
    target = "";
    fields = [];
    isInValue = false;
    isInRequest = true;
    responseCount += 1;
    return 0;
  },
  wasm_on_url: (_parser, at, length) => {
    target += textOf(at, length);
    return 0;
  },
  wasm_on_status: ignore,
  wasm_on_header_field: onName,
  wasm_on_header_value: onValue,
  wasm_on_headers_complete: onHead,
  wasm_on_body: (_parser, at, length) => {
    (requests.at(-1) as MutableRequest).body += textOf(at, length);
    return 0;
  },
  wasm_on_message_complete: () => {
    (requests.at(-1) as MutableRequest).isComplete = true;
    isInRequest = false;
    return 0;
  },
};

const { Module, Instance } = Reflect.get(globalThis, "WebAssembly") as WebAssemblyApi;
const { exports: wasm } = new Instance(new Module(require("undici/lib/llhttp/llhttp-wasm.js") as Uint8Array), {
  env: imports,
});
const base = wasm.malloc(maxInputBytes);
const requestType = 1;

/** Parses the bytes of a connection, without leniency. A request for another protocol ends the transcript. */
export function parseWithLlhttp(bytes: Buffer): Transcript {
  const parser = wasm.llhttp_alloc(requestType);
  input = bytes;
  requests = [];
  isInRequest = false;
  responseCount = 0;
  new Uint8Array(wasm.memory.buffer, base, bytes.length).set(bytes);
  const code = wasm.llhttp_execute(parser, base, bytes.length);
  const error = errorNames.get(code) ?? String(code);
  const reason = code === 0 ? "" : `${error}: ${readCString(wasm.llhttp_get_error_reason(parser))}`;
  wasm.llhttp_free(parser);
  if (code === 0) return { requests, responseCount, end: "waiting", reason };
  // Bytes behind the last request of a connection, or behind an upgrade.
  const isClosed = error === "CLOSED_CONNECTION" || error === "PAUSED_UPGRADE" || error === "PAUSED_H2_UPGRADE";
  if (!isClosed && !isInRequest) responseCount += 1;
  return { requests, responseCount, end: isClosed ? "closed" : "malformed", reason };
}

function readCString(at: number): string {
  const bytes = Buffer.from(wasm.memory.buffer, at, 100);
  return bytes.toString("latin1", 0, bytes.indexOf(0));
}
