import { testAccessibility } from "./accessibility.ts";

testAccessibility({ width: 1280, colorScheme: "light" });
