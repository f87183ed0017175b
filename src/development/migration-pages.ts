import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { sendMigrationPage } from "./development-pages.ts";
import { readBody } from "./read-body.ts";
import { isFromThisOrigin } from "./request-origin.ts";

/** Page of the pending migrations, and the target of its form. */
export interface MigrationPages {
  /** Sends the page that lists these steps. */
  readonly send: (incoming: IncomingMessage, response: ServerResponse, steps: readonly string[]) => void;
  /** Runs the migrations for the form of the page, and redirects to the page that was asked for. */
  readonly run: (incoming: IncomingMessage, response: ServerResponse) => Promise<void>;
}

const maxFormBytes = 16 * 1024;

/**
 * Creates the page of the pending migrations.
 *
 * Another site cannot send its form (CSRF): `makeProxy` refuses its requests, the form must come from this `Origin`, and
 * contain a token that is new for each development server.
 */
export function migrationPages(migrate: () => Promise<string | undefined>): MigrationPages {
  const token = randomBytes(32).toString("base64url");
  /** Error of the last run, which the next page shows. */
  let failure: string | undefined;

  const run = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await readBody(incoming, maxFormBytes));
    if (!isFromThisOrigin(incoming) || !isEqual(form.get("token") ?? "", token)) {
      response.writeHead(403, { "content-type": "text/plain; charset=utf-8" });
      response.end("The form is not of this page. Go back, reload the page and send it again.\n");
      return;
    }
    failure = await migrate();
    // Also after a failure: a reload of the page must not send the form again.
    response.writeHead(303, { location: localPath(form.get("path") ?? "/"), "cache-control": "no-store" }).end();
  };

  return {
    send: ({ url = "/" }, response, steps) => {
      sendMigrationPage(response, { steps, token, path: url, failure });
      failure = undefined;
    },
    run,
  };
}

function isEqual(given: string, token: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(token)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Returns a path and query of this origin: `/` for the URL of another one. */
function localPath(path: string): string {
  const url = URL.parse(path, "http://localhost");
  const isLocal = url?.origin === "http://localhost" && path.startsWith("/") && !url.pathname.startsWith("//");
  return isLocal ? url.pathname + url.search : "/";
}
