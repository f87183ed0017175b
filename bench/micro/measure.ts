// Measures one benchmark, given by its number, and prints its cost.
import { Client } from "./connection.ts";
import { works } from "./works.ts";

const work = works[Number(process.argv[2])];
if (work === undefined) throw new Error("Usage: measure.ts <number of a benchmark>");
const client = new Client(await work.open());
const request = `GET ${work.path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html, application/json\r\n\r\n`;
const answer = await client.ask(request);
if (!answer.startsWith("HTTP/1.1 200 ")) throw new Error(answer);
console.log(JSON.stringify(await client.measure(request, 9, 20_000)));
process.exit();
