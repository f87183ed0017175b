// Comparison of limmat's parser with llhttp over many inputs.
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { compare, type Rule } from "./compare.ts";
import { parseWithLlhttp } from "./llhttp.ts";
import { Mutations } from "./mutations.ts";
import type { Parse } from "./net-parser.ts";
import { nextRequest, requests } from "./requests.ts";

/** Input with a difference that no rule allows. */
export interface Fault {
  readonly fault: string;
  readonly input: string;
  readonly cuts: readonly number[];
}

/** Compares inputs, and collects the faults and the rules that were applied. */
export class Comparison {
  readonly faults: Fault[] = [];
  readonly appliedRules: Set<Rule> = new Set();
  inputCount = 0;
  readonly #parse: Parse;

  constructor(parse: Parse) {
    this.#parse = parse;
  }

  /** Compares one input with llhttp, and, cut at these positions, with itself. */
  check(input: Buffer, cuts: readonly number[]): void {
    this.inputCount += 1;
    const ours = this.#parse(input);
    const verdict = compare(input, parseWithLlhttp(input), ours, this.#parse);
    if (typeof verdict === "string") this.#report(verdict, input, []);
    else if (verdict !== undefined) this.appliedRules.add(verdict);
    if (!isDeepStrictEqual(this.#parse(input, cuts), ours)) this.#report("depends on cuts", input, cuts);
  }

  /** Checks all requests of the list, each whole, byte by byte, and with another request behind it. */
  checkRequests(): void {
    for (const text of Object.values(requests).flat()) {
      for (const input of [Buffer.from(text, "latin1"), Buffer.from(text + nextRequest, "latin1")]) {
        this.check(
          input,
          Array.from(input.subarray(1), (_, index) => index + 1),
        );
      }
    }
  }

  /** Checks random inputs. Stops at the first fault. */
  checkMutations(seed: number, count: number): void {
    const mutations = new Mutations(seed);
    for (let index = 0; index < count && this.faults.length === 0; index += 1) {
      const input = mutations.input();
      this.check(input, mutations.cuts(input.length));
    }
  }

  #report(fault: string, input: Buffer, cuts: readonly number[]): void {
    this.faults.push({ fault, input: input.toString("latin1"), cuts });
  }
}

/** Fails if there is a fault. */
export function expectNoFault({ faults, inputCount }: Pick<Comparison, "faults" | "inputCount">): void {
  const list = faults.slice(0, 5).map((fault) => JSON.stringify(fault));
  assert.equal(faults.length, 0, `${faults.length} of ${inputCount} inputs:\n${list.join("\n")}`);
}
