import type { Service } from "../../../core/index.ts";

/** What the server's own account of its memory (`INFO memory`) says about whether entries stay. */
export function findingsOf(where: string, info: string): readonly Service.Finding[] {
  const value = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1];
  const policy = value("maxmemory_policy") ?? "";
  if (value("maxmemory") !== "0" && policy.startsWith("allkeys-")) {
    return [
      {
        level: "warning",
        message: `${where} drops entries that have no expiry when its memory is full (maxmemory-policy ${policy})`,
        advice: "Set maxmemory-policy to noeviction or volatile-lru, or keep only what can be made again",
      },
    ];
  }
  return [{ level: "ok", message: `${where} answers` }];
}
