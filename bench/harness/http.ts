import { request as requestPlain } from "node:http";
import { request as requestSecure } from "node:https";

/** Response for the checks. */
export interface Answer {
  readonly status: number;
  readonly header: (name: string) => string;
  readonly body: string;
  readonly bytes: Buffer;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** HTTP client that stores cookies like a browser and never follows redirects. */
export interface Visitor {
  ask(path: string, ask?: Ask): Promise<Answer>;
  /** Returns the value of a `Cookie` header. */
  cookie(): string;
}

/** Headers of a browser that requests a page. */
export const browserHeaders: Readonly<Record<string, string>> = {
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:147.0) Gecko/20100101 Firefox/147.0",
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "accept-language": "en-GB,en;q=0.5",
  "sec-fetch-dest": "document",
  "sec-fetch-mode": "navigate",
  "sec-fetch-site": "same-origin",
};

/**
 * Creates a visitor.
 *
 * @param port port of a server on the loopback interface
 * @param isSecure true for TLS. The certificate is not checked.
 */
export function visitor(port: number, isSecure = false): Visitor {
  const request = isSecure ? requestSecure : requestPlain;
  const cookies = new Map<string, string>();
  const cookie = (): string => Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; ");
  return {
    cookie,
    ask: (path, { method = "GET", headers = {}, body } = {}) =>
      new Promise((resolve, reject) => {
        const sent = request(
          {
            port,
            path,
            method,
            host: "127.0.0.1",
            agent: false,
            rejectUnauthorized: false,
            headers: {
              ...headers,
              ...(cookies.size > 0 ? { cookie: cookie() } : {}),
              ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
            },
          },
          (response) => {
            for (const line of response.headers["set-cookie"] ?? []) {
              const [pair = "", ...attributes] = line.split(";");
              const name = pair.slice(0, pair.indexOf("="));
              const value = pair.slice(pair.indexOf("=") + 1);
              const gone = attributes.some((attribute) => /max-age=0|expires=thu, 01 jan 1970/i.test(attribute));
              if (gone || value === "") cookies.delete(name);
              else cookies.set(name, value);
            }
            const parts: Buffer[] = [];
            response.on("data", (part: Buffer) => parts.push(part));
            response.on("error", reject);
            response.on("end", () => {
              const bytes = Buffer.concat(parts);
              resolve({
                status: response.statusCode ?? 0,
                header: (name) => String(response.headers[name] ?? ""),
                body: bytes.toString(),
                bytes,
              });
            });
          },
        );
        sent.on("error", reject);
        sent.end(body);
      }),
  };
}

/** Returns the bytes of a request for the load client. */
export function requestBytes(port: number, path: string, { method = "GET", headers = {}, body }: Ask = {}): Buffer {
  const lines = [`${method} ${path} HTTP/1.1`, `host: 127.0.0.1:${port}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) lines.push(`content-length: ${Buffer.byteLength(body)}`);
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), Buffer.from(body ?? "")]);
}
