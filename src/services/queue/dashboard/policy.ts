import { hash } from "node:crypto";
import { style } from "./style.ts";

/** The content security policy of the dashboard: its own style and forms, and nothing else. */
export const policy: string = [
  "default-src 'none'",
  `style-src 'sha256-${hash("sha256", style, "base64")}'`,
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");
