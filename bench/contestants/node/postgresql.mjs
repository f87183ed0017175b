// The fastest use of pg: named statements, bound and executed only, on pipelined connections that are corked for a turn.
import { Client, Query } from "pg";
import { database } from "../../work/data.mjs";

const plain = (value) => value;

/** Named statement whose rows are arrays of text. It asks for no row description after its first use. */
class Statement extends Query {
  texts = [];

  constructor({ name, text }, values, callback) {
    // With a configuration object, pg would copy it.
    super(text, values, callback);
    this.name = name;
  }

  prepare(connection) {
    if (connection.parsedStatements[this.name] === undefined) {
      super.prepare(connection);
      return;
    }
    connection.bind({ statement: this.name, values: this.values, valueMapper: plain });
    connection.execute({});
    connection.sync();
  }

  handleRowDescription() {}

  handleDataRow({ fields }) {
    this.texts.push(fields);
  }

  handleCommandComplete() {}
}

class Connection {
  pending = 0;
  #client = new Client({ ...database, pipeline: true });
  #isCorked = false;
  #uncork = () => {
    this.#isCorked = false;
    this.#client.connection.stream.uncork();
  };

  async open() {
    await this.#client.connect();
    return this;
  }

  run(statement, values) {
    // Statements of all requests that arrived in one turn of the event loop leave in one write.
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#client.connection.stream.cork();
      setImmediate(this.#uncork);
    }
    this.pending += 1;
    return new Promise((resolve, reject) => {
      const query = new Statement(statement, values, (error) => {
        this.pending -= 1;
        if (error) reject(error);
        else resolve(query.texts);
      });
      this.#client.query(query);
    });
  }
}

/**
 * Connects and returns a function that runs a statement with values as text and returns its rows as arrays of text.
 * @param {number} size number of shared connections: two for quick statements, more for slow ones
 * @returns {Promise<(statement: { name: string, text: string }, values: readonly (string | null)[]) => Promise<string[][]>>}
 */
export async function connect(size = 2) {
  const connections = await Promise.all(Array.from({ length: size }, () => new Connection().open()));
  return (statement, values) => {
    let least = connections[0];
    for (const connection of connections) if (connection.pending < least.pending) least = connection;
    return least.run(statement, values);
  };
}
