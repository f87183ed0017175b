import { Command, lazy } from "../../core/index.ts";
import type { WebhookSender } from "./contract.ts";

// Few processes run a command, so the code loads on demand (docs/decisions/017).
const loadCommands = lazy(() => import("./engine/run-commands.ts"));

/** Creates the commands `webhook.list` and `webhook.redeliver`. */
export function createCommands(sender: () => WebhookSender): readonly Command.Command[] {
  const dependencies = (): readonly WebhookSender[] => [sender()];
  return [
    Command.make({
      name: "webhook.list",
      usage: "[--endpoint <id>] [--status pending|succeeded|failed] [--limit <n>] [--json]",
      description: "Lists the deliveries of webhooks, newest first",
      details: "Without --limit, 50 deliveries are listed.",
      dependencies,
      run: async (args, { output }) => (await loadCommands()).listDeliveries(sender(), args, output),
    }),
    Command.make({
      name: "webhook.redeliver",
      usage: "<id>... | --failed [--endpoint <id>] [--limit <n>]",
      description: "Sends webhooks again, with the same id and content",
      details: "With --failed: the newest 50 failed deliveries, or as many as --limit says.",
      dependencies,
      run: async (args, { output }) => (await loadCommands()).redeliver(sender(), args, output),
    }),
  ];
}
