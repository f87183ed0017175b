// limmat on Bun: the very applications of limmat on Node.
import "../node/limmat.mjs";
