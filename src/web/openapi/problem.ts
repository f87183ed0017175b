import type { Schema } from "../../schema/index.ts";
import type { ResponseDescription } from "../../http/router/index.ts";

/** Schema of a problem document (RFC 9457) with the members of `Failure`. */
const problemSchema: Schema.JsonSchema = {
  title: "Problem",
  type: "object",
  properties: {
    type: { type: "string", format: "uri-reference" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    code: { type: "string", description: "Stable error code for programs" },
    errors: { type: "object", additionalProperties: { type: "string" }, description: "Messages by field" },
    requestId: { type: "string" },
  },
  required: ["type", "title", "status", "detail", "requestId"],
};

/**
 * Describes a response with a problem document (RFC 9457), as `Web.problem` and the error pages create it: with `code`,
 * `requestId`, and `errors` by field. The text states when the response occurs.
 *
 * @example
 * Web.post("/todos", create, { describe: { responses: { 201: todo, 422: Web.OpenApi.problem("A field is not valid") } } });
 */
export const problem = (description: string): ResponseDescription => ({
  description,
  body: problemSchema,
  mediaType: "application/problem+json",
});
