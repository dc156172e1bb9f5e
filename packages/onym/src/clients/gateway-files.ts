// Files of gateways that keep their servers in another way than clients do, as entries of the usual form: what a server is
// started with or reached at, what is hidden, and under which other names tools were shown. Keys of LiteLLM are those that
// litellm/proxy/_experimental/mcp_server/mcp_server_manager.py reads (2026-08-08), those of Goose are in its documentation of
// config.yaml. Those of Docker, ToolHive and agentgateway come from the sources that ../../names/systems/gateway-systems.ts names
// and were not checked again.

import type { FoundEntry } from "./server-maps.js";
import { fieldOf, objectOf } from "./server-maps.js";

/** `undefined` where the file is none of these. */
export function entriesOfGateway(value: unknown): readonly FoundEntry[] | undefined {
  return (
    entriesOfGoose(value) ??
    entriesOfLitellm(value) ??
    entriesOfDocker(value) ??
    entriesOfToolhive(value) ??
    entriesOfAgentgateway(value)
  );
}

/** `extensions:` with `cmd`, `envs` and `uri`; older files have all of it under `config`. */
function entriesOfGoose(value: unknown): readonly FoundEntry[] | undefined {
  const extensions = objectOf(fieldOf(value, "extensions"));
  if (extensions === undefined) return undefined;
  return Object.entries(extensions).map(([key, given]) => {
    const entry = objectOf(fieldOf(given, "config")) ?? given;
    const type = fieldOf(entry, "type");
    const id = typeof fieldOf(entry, "name") === "string" ? String(fieldOf(entry, "name")) : key;
    if (type === "builtin" || type === "platform" || type === "frontend" || type === "inline_python")
      return { id, raw: entry, reason: "it is a part of Goose" };
    const shown = textsOf(fieldOf(entry, "available_tools"));
    const keys = textsOf(fieldOf(entry, "env_keys")).map((name) => [name, `\${${name}}`]);
    return {
      id,
      raw: {
        command: fieldOf(entry, "cmd"),
        args: fieldOf(entry, "args"),
        env: { ...Object.fromEntries(keys), ...objectOf(fieldOf(entry, "envs")) },
        url: fieldOf(entry, "uri"),
        type: type === "sse" ? "sse" : undefined,
        headers: fieldOf(entry, "headers"),
        enabled: fieldOf(given, "enabled"),
        ...(shown.length === 0 ? {} : { toolFilters: shown }),
      },
    };
  });
}

/** `mcp_servers:` beside the rest of a proxy's config; `os.environ/NAME` stands for a variable. */
function entriesOfLitellm(value: unknown): readonly FoundEntry[] | undefined {
  const servers = objectOf(fieldOf(value, "mcp_servers"));
  const isProxy = ["model_list", "litellm_settings", "general_settings"].some(
    (key) => fieldOf(value, key) !== undefined,
  );
  const isListed = Object.values(servers ?? {}).some((entry) =>
    ["allowed_tools", "disallowed_tools", "auth_type", "static_headers", "alias"].some(
      (key) => fieldOf(entry, key) !== undefined,
    ),
  );
  if (servers === undefined || !(isProxy || isListed)) return undefined;
  return Object.entries(servers).map(([key, given]) => {
    const alias = fieldOf(given, "alias");
    const id = typeof alias === "string" && alias !== "" ? alias : key;
    if (fieldOf(given, "spec_path") !== undefined)
      return { id, raw: given, reason: "it is made from an OpenAPI document" };
    const entry = withVariables({
      command: fieldOf(given, "command"),
      args: fieldOf(given, "args"),
      env: fieldOf(given, "env"),
      url: fieldOf(given, "url"),
      type: fieldOf(given, "transport"),
      headers: {
        ...credentialOf(given),
        ...objectOf(fieldOf(given, "headers")),
        ...objectOf(fieldOf(given, "static_headers")),
      },
      enabledTools: fieldOf(given, "allowed_tools"),
      disabledTools: fieldOf(given, "disallowed_tools"),
    });
    return { id, raw: entry };
  });
}

/** The header that LiteLLM makes of a token, by `auth_type`; of types that need more than a header, none. */
function credentialOf(given: unknown): Readonly<Record<string, string>> {
  const token = fieldOf(given, "authentication_token") ?? fieldOf(given, "auth_value");
  if (typeof token !== "string") return {};
  switch (fieldOf(given, "auth_type")) {
    case "bearer_token":
    case "oauth2":
    case "oauth2_token_exchange":
      return { Authorization: `Bearer ${token}` };
    case "token":
      return { Authorization: `token ${token}` };
    case "authorization":
      return { Authorization: token };
    case "api_key":
      return { "X-API-Key": token };
    default:
      return {};
  }
}

/** A catalog: `registry:` with images. What is enabled stands in another file, which names no image. */
function entriesOfDocker(value: unknown): readonly FoundEntry[] | undefined {
  const registry = objectOf(fieldOf(value, "registry"));
  if (registry === undefined) return undefined;
  return Object.entries(registry).map(([id, given]) => {
    const remote = fieldOf(given, "remote");
    const image = fieldOf(given, "image");
    const tools = listOf(fieldOf(given, "tools")).flatMap((tool) => {
      const name = typeof tool === "string" ? tool : fieldOf(tool, "name");
      return typeof name === "string" ? [name] : [];
    });
    if (remote !== undefined)
      return {
        id,
        mentions: tools,
        raw: {
          url: fieldOf(remote, "url"),
          type: fieldOf(remote, "transport_type"),
          headers: fieldOf(remote, "headers"),
        },
      };
    if (typeof image !== "string")
      return { id, raw: given, reason: "only the catalog knows its image; import the file of the catalog" };
    const env = [...listOf(fieldOf(given, "secrets")), ...listOf(fieldOf(given, "env"))].flatMap((one) => {
      const [name, text] = [fieldOf(one, "env") ?? fieldOf(one, "name"), fieldOf(one, "value")];
      return typeof name === "string"
        ? [[name, typeof text === "string" ? text : `\${${name}}`] as const]
        : [];
    });
    const flags = env.flatMap(([name]) => ["-e", name]);
    const args = ["run", "-i", "--rm", ...flags, image, ...textsOf(fieldOf(given, "command"))];
    return { id, mentions: tools, raw: { command: "docker", args, env: Object.fromEntries(env) } };
  });
}

/** One workload, as `thv export` writes it. */
function entriesOfToolhive(value: unknown): readonly FoundEntry[] | undefined {
  const [name, image, remote] = ["name", "image", "remote_url"].map((key) => fieldOf(value, key));
  if (typeof name !== "string" || (typeof image !== "string" && typeof remote !== "string")) return undefined;
  const overrides = Object.entries(objectOf(fieldOf(value, "tools_override")) ?? {}).flatMap(
    ([raw, given]) => {
      const shown = fieldOf(given, "name");
      return typeof shown === "string" && shown !== "" ? [[raw, shown] as const] : [];
    },
  );
  const renamed = new Map(overrides.map(([raw, shown]) => [shown, raw]));
  // A filter names tools as they are shown.
  const filter = textsOf(fieldOf(value, "tools_filter")).map((tool) => renamed.get(tool) ?? tool);
  const shown = filter.length === 0 ? {} : { toolFilters: filter };
  const env = objectOf(fieldOf(value, "env_vars")) ?? {};
  const common = { id: name, shownAs: overrides };
  if (typeof remote === "string" && remote !== "")
    return [{ ...common, raw: { url: remote, type: fieldOf(value, "transport"), ...shown } }];
  const isStdio = fieldOf(value, "transport") === "stdio";
  const port = fieldOf(value, "port");
  if (!isStdio && typeof port === "number" && port > 0)
    return [{ ...common, raw: { url: `http://127.0.0.1:${port}/mcp`, ...shown } }];
  if (!isStdio) return [{ ...common, raw: value, reason: "its port is chosen when ToolHive starts it" }];
  const flags = Object.keys(env).flatMap((key) => ["-e", key]);
  const args = ["run", "-i", "--rm", ...flags, String(image), ...textsOf(fieldOf(value, "cmd_args"))];
  return [{ ...common, raw: { command: "docker", args, env, ...shown } }];
}

/** Targets of every backend, wherever it is bound. */
function entriesOfAgentgateway(value: unknown): readonly FoundEntry[] | undefined {
  const routes = listOf(fieldOf(value, "binds")).flatMap((bind) =>
    listOf(fieldOf(bind, "listeners")).flatMap((listener) => listOf(fieldOf(listener, "routes"))),
  );
  const backends = [
    ...routes.flatMap((route) =>
      listOf(fieldOf(route, "backends")).map((backend) => fieldOf(backend, "mcp")),
    ),
    fieldOf(value, "mcp"),
  ];
  const targets = backends.flatMap((backend) => listOf(fieldOf(backend, "targets")));
  if (targets.length === 0) return undefined;
  return targets.map((target) => {
    const id = typeof fieldOf(target, "name") === "string" ? String(fieldOf(target, "name")) : "target";
    const stdio = fieldOf(target, "stdio");
    if (stdio !== undefined)
      return {
        id,
        raw: { command: fieldOf(stdio, "cmd"), args: fieldOf(stdio, "args"), env: fieldOf(stdio, "env") },
      };
    if (fieldOf(target, "openapi") !== undefined)
      return { id, raw: target, reason: "it is made from an OpenAPI document" };
    const sse = fieldOf(target, "sse");
    const url = addressOf(fieldOf(target, "mcp") ?? sse);
    return { id, raw: { url, type: sse === undefined ? undefined : "sse" } };
  });
}

/** A whole address, or host, port and path. */
function addressOf(backend: unknown): string | undefined {
  const host = fieldOf(backend, "host");
  if (typeof host !== "string") return undefined;
  if (/^https?:\/\//.test(host)) return host;
  const [port, path] = [fieldOf(backend, "port"), fieldOf(backend, "path")];
  return `http://${host}${typeof port === "number" ? `:${port}` : ""}${typeof path === "string" ? path : ""}`;
}

function withVariables(value: unknown): unknown {
  if (typeof value === "string")
    return value.replace(/os\.environ\/(\w+)/g, (_, name: string) => `\${${name}}`);
  if (Array.isArray(value)) return value.map(withVariables);
  const object = objectOf(value);
  if (object === undefined) return value;
  return Object.fromEntries(Object.entries(object).map(([key, inner]) => [key, withVariables(inner)]));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === "string");
}
