// Preloaded by servers of projects. A busy machine is no overload of the server under test: no request is refused with 503.
import * as module from "node:module";

// Older versions of Node, which npm may run on, have no such hooks.
module.registerHooks?.({
  load: (url, context, next) => {
    const loaded = next(url, context);
    if (!url.endsWith("/run/run.ts")) return loaded;
    const source = String(loaded.source).replace("Http.service({", "$& limits: { maxEventLoopDelayMs: 0 },");
    return { ...loaded, source };
  },
});
