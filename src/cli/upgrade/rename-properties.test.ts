import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTypeProblems } from "./check-types.ts";
import { properties, type Rename } from "./rename.ts";
import { renameProperties } from "./rename-properties.ts";

const renames = [
  properties("queue", ["JobRecord"], { tries: "attempts" }),
  properties("queue", ["JobDefinition"], { maxTries: "maxAttempts", timeout: "timeoutMs" }),
]
  .flatMap((row) => row.renames)
  .filter((rename): rename is Extract<Rename, { readonly kind: "property" }> => rename.kind === "property");

const output = `app/job.ts(1,34): error TS2561: Object literal may only specify known properties, but 'maxTries' does not exist in type 'JobDefinition<string>'. Did you mean to write 'maxAttempts'?
app/job.ts(2,18): error TS2339: Property 'tries' does not exist on type 'Readonly<JobRecord>'.
app/job.ts(3,9): error TS2339: Property 'tries' does not exist on type 'JobRecord'.
app/job.ts(4,5): error TS2339: Property 'tries' does not exist on type 'Own'.
app/job.ts(5,10): error TS2769: No overload matches this call.
  Overload 1 of 2, '(job: JobDefinition): void', gave the following error.
    Object literal may only specify known properties, and 'timeout' does not exist in type 'JobDefinition'.
app/job.ts(6,1): error TS2304: Cannot find name 'tries'.
`;

const text = `const job = Queue.job({ name: 1, maxTries: 3 });
const now = job?.tries;
const { tries } = job;
own.tries;
define({ timeout });
tries;
`;

test("renames unknown properties of the types of the framework", () => {
  const { files, renamed } = renameProperties(parseTypeProblems(output), () => text, renames);
  assert.deepEqual(
    [...files],
    [
      [
        "app/job.ts",
        `const job = Queue.job({ name: 1, maxAttempts: 3 });
const now = job?.attempts;
const { attempts: tries } = job;
own.tries;
define({ timeoutMs: timeout });
tries;
`,
      ],
    ],
  );
  assert.deepEqual(
    renamed.map(({ line, message }) => `${line} ${message}`),
    [
      "1 maxTries → maxAttempts (JobDefinition)",
      "2 tries → attempts (JobRecord)",
      "3 tries → attempts (JobRecord)",
      "5 timeout → timeoutMs (JobDefinition)",
    ],
  );
});

test("changes nothing where the position has another text", () => {
  const { files } = renameProperties(parseTypeProblems(output), () => "\n\n\n\n\n\n", renames);
  assert.equal(files.size, 0);
});
