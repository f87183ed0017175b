import { startChild } from "./child.ts";
import { endure, stopUnderLoad } from "./life.ts";
{
  await using child = await startChild();
  console.log(await stopUnderLoad(child, 100), child.printed());
}
{
  await using child = await startChild({ headerTime: 1000, requestTime: 2000, keepAliveTime: 500 });
  const e = await endure(child.port, 3, 8000);
  console.log(e.cut, e.times.length, e.times.at(-1));
  console.log(child.faults());
}
