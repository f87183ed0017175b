/** Whether a header (its name in lower case) says how a message is framed, or is about the connection: no handler's business. */
export function isFraming(name: string): boolean {
  switch (name.length) {
    case 7:
      return name === "upgrade";
    case 10:
      return name === "connection" || name === "keep-alive";
    case 14:
      return name === "content-length";
    case 17:
      return name === "transfer-encoding";
    default:
      return false;
  }
}
