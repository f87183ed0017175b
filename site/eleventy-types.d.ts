declare module "@11ty/eleventy" {
  /** Part of the generator's interface that the site uses. It has no types of its own. */
  export class Eleventy {
    constructor(input: string, output: string, options: Readonly<Record<string, unknown>>);
    init(): Promise<void>;
    write(): Promise<void>;
    watch(): Promise<void>;
    serve(port: number): Promise<void>;
  }
}

declare module "@11ty/eleventy-dev-server" {
  import type { Server } from "node:http";
  /** Development server of Eleventy. */
  export default class DevServer {
    readonly server: Server;
    _serverListen(port: number): void;
  }
}
