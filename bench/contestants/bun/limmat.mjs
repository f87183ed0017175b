// limmat on Bun: the same applications as on Node.
import "../node/limmat.mjs";
