import type { IncomingMessage } from "node:http";

/** Reads the body of a request as text. Returns `undefined` for a larger or an incomplete one. */
export async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined; // The client has closed the connection.
  }
  return Buffer.concat(chunks).toString();
}
