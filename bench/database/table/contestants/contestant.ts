import type { Engine } from "../../data.ts";

/** Values of an entry, without its id, which the contestant makes. */
export interface NewEntry {
  readonly title: string;
  readonly state: "open" | "closed";
  readonly number: number;
  readonly created_at: Date;
}

/** Operations of a contestant on tables. A synchronous driver returns no promise. */
export interface TableContestant {
  /** Reads one issue by its primary key. */
  readonly find: (id: string) => unknown;
  /** Inserts an entry and returns it as it is stored. */
  readonly insert: (entry: NewEntry) => unknown;
  /** Changes the title of an issue and returns it as it is stored. */
  readonly update: (id: string, title: string) => unknown;
  /** Reads all 1,000 issues, each with its assignee and its list of labels. */
  readonly with: () => unknown;
  /** Inserts entries, all or none of them. */
  readonly insertAll: (entries: readonly NewEntry[]) => unknown;
  /** Reads the first 50 open records, the newest first. */
  readonly page1: () => unknown;
  /** Reads page 2 of the same list, from the last record of page 1. Only of limmat and the driver. */
  readonly page2?: () => unknown;
  /** Reads page 10,000 of the same list, from the last record of the page before. */
  readonly page10000: () => unknown;
  readonly close: () => unknown;
}

/** Function that connects a contestant to the database of a run. */
export type OpenTable = (url: string, engine: Engine) => Promise<TableContestant>;

/** Number of rows of a page. */
export const pageSize = 50;

export const issueColumns = "id, title, state, number, assignee_id, created_at";
export const entryColumns = "id, title, state, number, created_at";
