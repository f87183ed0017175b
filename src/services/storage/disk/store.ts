import { createReadStream } from "node:fs";
import { mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Random } from "../../../random/index.ts";
import type { StorageStore, StoredFile } from "../contract.ts";
import { errors } from "../errors.ts";
import { pieceSize } from "../pieces.ts";
import { ifThere, isCode, namesIn, removeBefore, syncFolder } from "./files.ts";
import { incoming, placeOf, shard } from "./place.ts";

/** A store on the disk that can also be tidied up. */
export interface DiskStore extends StorageStore {
  /** Deletes what is left of files that were last written before a point in time and never ended. */
  readonly purge: (before: Date) => Promise<void>;
  readonly clear: () => Promise<void>;
}

/**
 * Keeps each file in two: the content, and what is known of it. A content is written elsewhere and moved into its place,
 * then the facts are: a file exists from the moment on at which its facts do, and whatever happens is never half there.
 */
export function diskStore(directory: () => string): DiskStore {
  const findOpt = async (id: string): Promise<StoredFile | undefined> => {
    const text = await ifThere(readFile(placeOf(directory(), id).facts, "utf8"));
    if (text === undefined || text === "") return undefined;
    const facts = JSON.parse(text) as StoredFile;
    return { ...facts, created_at: new Date(facts.created_at) };
  };

  /** The folders that hold files. */
  async function* folders(): AsyncGenerator<string> {
    for (const first of await namesIn(directory(), shard)) {
      for (const second of await namesIn(join(directory(), first), shard)) yield join(directory(), first, second);
    }
  }

  return {
    findOpt,

    begin: async ({ id }) => {
      const { folder, content, facts } = placeOf(directory(), id);
      const temporary = join(directory(), incoming, `${id}.${Random.hex(4)}`);
      await mkdir(folder, { recursive: true });
      await mkdir(join(directory(), incoming), { recursive: true });
      try {
        // Takes the id: of many at once, one succeeds.
        await writeFile(facts, "", { flag: "wx" });
      } catch (error) {
        if (isCode(error, "EEXIST")) throw errors.E_STORAGE_ID(id, "it is taken").causedBy(error);
        throw error;
      }
      const handle = await open(temporary, "wx").catch(async (error: unknown) => {
        await rm(facts, { force: true });
        throw error;
      });
      return {
        write: (piece) => handle.appendFile(piece),
        commit: async (file) => {
          await handle.sync();
          await handle.close();
          await rename(temporary, content);
          await writeFile(`${temporary}.json`, JSON.stringify(file), { flag: "wx", flush: true });
          await rename(`${temporary}.json`, facts);
          await syncFolder(folder);
        },
        abort: async () => {
          await handle.close().catch(() => {});
          for (const path of [temporary, `${temporary}.json`, content, facts]) await rm(path, { force: true });
        },
      };
    },

    async *read({ id }, start, length) {
      const { content } = placeOf(directory(), id);
      try {
        yield* createReadStream(content, {
          start,
          end: start + length - 1,
          highWaterMark: pieceSize,
        }) as AsyncIterable<Uint8Array>;
      } catch (error) {
        if (isCode(error, "ENOENT")) throw errors.E_STORAGE_NOT_FOUND(id).causedBy(error);
        throw error;
      }
    },

    delete: async (id) => {
      if ((await findOpt(id)) === undefined) return false;
      const { facts, content } = placeOf(directory(), id);
      // Without its facts a file is gone; whoever reads the content at the moment can go on.
      if ((await ifThere(rm(facts).then(() => true))) === undefined) return false;
      await rm(content, { force: true });
      return true;
    },

    async *list() {
      for await (const folder of folders()) {
        for (const name of await namesIn(folder, /\.json$/)) {
          const file = await findOpt(name.slice(0, -".json".length));
          if (file !== undefined) yield file;
        }
      }
    },

    purge: async (before) => {
      for (const name of await namesIn(join(directory(), incoming), /./)) {
        await removeBefore(join(directory(), incoming, name), before);
      }
      for await (const folder of folders()) {
        for (const name of await namesIn(folder, /./)) {
          const isContent = !name.endsWith(".json");
          const facts = await ifThere(stat(join(folder, isContent ? `${name}.json` : name)));
          if (facts === undefined || facts.size === 0) await removeBefore(join(folder, name), before);
        }
      }
    },

    clear: async () => {
      for (const name of [...(await namesIn(directory(), shard)), incoming]) {
        await rm(join(directory(), name), { recursive: true, force: true });
      }
    },
  };
}
