import { html, type Html, unsafeHtml } from "../../../html/index.ts";
import type { Instance, Status } from "../contract.ts";
import { statuses } from "../store.ts";
import { style } from "./style.ts";

/** What the list shows, and the addresses that lead on. */
export interface ListView {
  readonly instances: readonly Instance[];
  readonly total: number;
  readonly offset: number;
  readonly counts: Readonly<Record<Status, number>>;
  readonly status: Status | undefined;
  readonly filter: string;
  /** Seconds after which the page is asked for again; `undefined` when it stays. */
  readonly refresh: number | undefined;
  readonly links: {
    readonly job: (id: string) => string;
    readonly status: (status: Status | undefined) => string;
    readonly search: string;
    readonly refresh: string;
    readonly previous: string | undefined;
    readonly next: string | undefined;
  };
}

/** What the page of a job shows. */
export interface JobView {
  readonly instance: Instance;
  /** Absent when inputs are hidden. */
  readonly input: string | undefined;
  readonly notice: string | undefined;
  readonly alert: string | undefined;
  readonly csrf: string;
  readonly links: { readonly list: string; readonly cancel: string; readonly requeue: string };
}

const styleElement = unsafeHtml(`<style>${style}</style>`);

/** `2030-01-31 12:00:05`, and for programs the whole time, in UTC. */
const time = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 19).replace("T", " ")}</time>`;

const statusOf = (status: Status): Html => html`<span class="status ${status}">${status}</span>`;

const layout = (title: string, content: Html, refresh?: number): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        ${refresh === undefined ? "" : html`<meta http-equiv="refresh" content="${String(refresh)}" />`}
        <title>${title}</title>
        ${styleElement}
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html>`;

/** The list of jobs, newest first. */
export function listPage(view: ListView): Html {
  const { instances, total, offset, filter, refresh, links } = view;
  const range = `${offset + 1} to ${offset + instances.length} of ${total}`;
  const pages = html`<nav aria-label="Pages">
    <ul>
      ${links.previous === undefined ? "" : html`<li><a href="${links.previous}" rel="prev">Newer</a></li>`}
      ${links.next === undefined ? "" : html`<li><a href="${links.next}" rel="next">Older</a></li>`}
    </ul>
  </nav>`;
  return layout(
    "Jobs",
    html`<h1>Jobs</h1>
      ${statusLinks(view)}
      <form method="get" action="${links.search}" role="search">
        ${view.status === undefined ? "" : html`<input type="hidden" name="status" value="${view.status}" />`}
        <label><span>Name or tag</span><input type="search" name="filter" value="${filter}" maxlength="256" /></label>
        <button>Search</button>
      </form>
      <p class="soft">
        ${instances.length === 0 ? "No jobs here." : `${range}, newest first. Times are in UTC.`}
        <a href="${links.refresh}">${refresh === undefined ? "Refresh every 5 seconds" : "Stop refreshing"}</a>
      </p>
      ${
        instances.length === 0
          ? ""
          : html`<ol class="jobs card">
              ${instances.map((each) => item(each, links.job))}
            </ol>`
      }
      ${links.previous === undefined && links.next === undefined ? "" : pages}`,
    refresh,
  );
}

function statusLinks({ counts, status: shown, links }: ListView): Html {
  const all = statuses.reduce((sum, status) => sum + counts[status], 0);
  const link = (status: Status | undefined, text: string): Html =>
    status === shown
      ? html`<li><a href="${links.status(status)}" aria-current="page">${text}</a></li>`
      : html`<li><a href="${links.status(status)}">${text}</a></li>`;
  return html`<nav aria-label="Status">
    <ul>
      ${link(undefined, `all ${all}`)}${statuses.map((status) => link(status, `${status} ${counts[status]}`))}
    </ul>
  </nav>`;
}

function item({ id, name, tag, status, created_at, last_error }: Instance, link: (id: string) => string): Html {
  const [error = ""] = (last_error ?? "").split("\n");
  return html`<li>
    <a href="${link(id)}">
      ${statusOf(status)}
      <span class="name">${name}${tag === undefined ? "" : html` <span class="tag">${tag}</span>`}</span>
      ${time(created_at)} ${error === "" ? "" : html`<span class="error">${error}</span>`}
    </a>
  </li>`;
}

/** One job: where it stands, why, and what can be done about it. */
export function jobPage({ instance, input, notice, alert, csrf, links }: JobView): Html {
  const { id, name, status, last_error, last_error_at, ctx } = instance;
  const rows: readonly (readonly [string, Html | string | undefined])[] = [
    ["Status", statusOf(status)],
    ["Priority", instance.priority],
    ["Tag", instance.tag],
    ["Tries", `${instance.tries} of ${instance.max_tries}`],
    ["Dispatched", time(instance.created_at)],
    ["Begins at", status === "pending" ? time(instance.next_run_at) : undefined],
    ["Last begun", whenThere(instance.started_at)],
    ["Leased until", whenThere(instance.leased_until)],
    ["Ended", whenThere(instance.finished_at)],
    ["Context", ctx.length === 0 ? undefined : ctx.map(([key, value]) => `${key}: ${value}`).join(", ")],
    ["Id", id],
  ];
  const button = (action: string, text: string): Html =>
    html`<form method="post" action="${action}">
      <input type="hidden" name="csrf" value="${csrf}" /><button>${text}</button>
    </form>`;
  const isOpen = status === "pending" || status === "running";
  return layout(
    `${name}: ${status}`,
    html`<p><a href="${links.list}">Jobs</a></p>
      <h1>${name}</h1>
      ${notice === undefined ? "" : html`<p class="card notice" role="status">${notice}</p>`}
      ${alert === undefined ? "" : html`<p class="card alert" role="alert">${alert}</p>`}
      <dl class="card">
        ${rows.map(([term, value]) =>
          value === undefined
            ? ""
            : html`<dt>${term}</dt>
                <dd>${value}</dd>`,
        )}
      </dl>
      ${status === "running" ? "" : button(links.requeue, status === "pending" ? "Begin now" : "Requeue")}
      ${isOpen ? button(links.cancel, "Cancel") : ""}
      ${
        last_error === undefined
          ? ""
          : html`<h2>Last error${last_error_at === undefined ? "" : html` ${time(last_error_at)}`}</h2>
              <pre class="card">${last_error}</pre>`
      }
      ${
        input === undefined
          ? ""
          : html`<h2>Input</h2>
              <pre class="card">${input === "" ? "none" : input}</pre>`
      }`,
  );
}

const whenThere = (date: Date | undefined): Html | undefined => (date === undefined ? undefined : time(date));
