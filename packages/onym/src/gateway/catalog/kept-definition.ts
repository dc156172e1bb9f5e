// What a tool of a large catalog says of itself, with its schemas as the text that is listed: read by those who ask.

import type { ListedTool } from "@onym/core";
import type { JsonObject } from "../../mcp/json.js";

export class KeptDefinition implements ListedTool {
  readonly name: string;
  declare readonly version?: number;
  declare readonly title?: string;
  declare readonly description?: string;
  declare readonly annotations?: unknown;
  /** Members of a JSON object, both schemas among them. */
  readonly #members: string;

  constructor({ inputSchema: _input, outputSchema: _output, ...rest }: ListedTool, members: string) {
    this.name = rest.name;
    Object.assign(this, rest);
    this.#members = members;
  }

  get inputSchema(): unknown {
    return this.#read()["inputSchema"];
  }

  get outputSchema(): unknown {
    return this.#read()["outputSchema"];
  }

  #read(): JsonObject {
    return JSON.parse(`{${this.#members}}`);
  }
}
