// Fixture of the tests of versions: issues in memory that compare versions. It has no tests.
import { error, ok, type Result } from "../../core/index.ts";
import { html, type Html } from "../../html/index.ts";
import { type Form, Schema } from "../../schema/index.ts";
import type { Refusal, ResourceService, ResourceView, ServiceOptions, Stale } from "./contract.ts";
import { idOf } from "./todo-fixture.test.ts";

export const schema: Schema.RecordSchema<IssueInput> = Schema.record({
  title: Schema.string({ min: 1 }),
  note: Schema.text(),
  done: Schema.bool(),
  labels: Schema.list(Schema.string()),
  assignee_id: Schema.optional(Schema.string()),
  secret: Schema.optional(Schema.string({ sensitive: true })),
});

export interface IssueInput {
  readonly title: string;
  readonly note: string;
  readonly done: boolean;
  readonly labels: readonly string[];
  readonly assignee_id: string | undefined;
  readonly secret: string | undefined;
}

export interface Issue extends IssueInput {
  readonly id: string;
  readonly version: number;
}

export const bug: IssueInput = {
  title: "Bug",
  note: "",
  done: false,
  labels: ["a"],
  assignee_id: undefined,
  secret: undefined,
};

/** Service in memory that compares the version. */
export class Issues implements ResourceService<Issue, IssueInput> {
  readonly items: Map<string, Issue> = new Map();
  readonly calls: (ServiceOptions | undefined)[] = [];
  /** Called before each change, to make one in between. */
  beforeChange: () => void = () => {};

  constructor(version = 1) {
    this.set({ ...bug, id: idOf(1), version });
  }

  set(issue: Issue): void {
    this.items.set(issue.id, issue);
  }

  /** Changes the first issue as another person does. */
  changeMeanwhile(changes: Partial<Issue>): void {
    const issue = this.first;
    this.set({ ...issue, version: issue.version + 1, ...changes });
  }

  get first(): Issue {
    return this.items.get(idOf(1)) as Issue;
  }

  readonly find = (id: string): Issue | undefined => this.items.get(id);
  readonly search = (): readonly [readonly Issue[], number] => [[...this.items.values()], this.items.size];
  readonly insert = (value: IssueInput): Result<Issue, Refusal> => {
    const issue = { ...value, id: idOf(this.items.size + 1), version: 1 };
    this.set(issue);
    return ok(issue);
  };
  readonly update = (id: string, value: IssueInput, options?: ServiceOptions): Result<Issue, Refusal | Stale> => {
    this.calls.push(options);
    this.beforeChange();
    const issue = this.items.get(id) as Issue;
    if (options?.version !== undefined && options.version !== issue.version) return error({ stale: true });
    const changed = { ...issue, ...value, version: issue.version + 1 };
    this.set(changed);
    return ok(changed);
  };
  readonly delete = (issue: Issue, options?: ServiceOptions): Result<undefined, Refusal | Stale> => {
    this.calls.push(options);
    this.beforeChange();
    if (options?.version !== this.items.get(issue.id)?.version) return error({ stale: true });
    this.items.delete(issue.id);
    return ok();
  };
}

const fields = (csrf: string, form: Form): Html =>
  html`<input name="csrf" value="${csrf}" /> ${form.map(
      ([name, input, problem]) => html`<p>${name}=${input}:${problem}</p>`,
    )}`;

export const view: ResourceView<Issue> = {
  index: (_, csrf) => html`<input name="csrf" value="${csrf}" />`,
  new: (_, csrf, form) => fields(csrf, form),
  show: (_, issue) => html`<h1>${issue.title}</h1>`,
  edit: (_, csrf, form, issue) => html`${fields(csrf, form)}<input name="version" value="${issue.version}" />`,
};
