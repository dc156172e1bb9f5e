import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listProfiles } from "../find-profile.js";
import { type Detection, detectProfile } from "./detect-profile.js";
import type { DetectionHints } from "./read-hints.js";

const byName = (name: string): Detection => detectProfile({ clientInfo: { name, version: "1.0.0" } });
const byAgent = (userAgent: string): Detection => detectProfile({ userAgent });

describe("detectProfile", () => {
  it.each([
    ["qwen-cli-mcp-client-Acme Tools", "Acme Tools"],
    ["local-agent-mode-acme", "acme"],
    ["qwen-cli-mcp-client-", undefined],
    ["claude-code", undefined],
  ])("learns from %s the alias %s (NAME-9)", (name, alias) => {
    expect(detectProfile({ clientInfo: { name } }).alias).toBe(alias);
  });

  it.each([
    ["Claude Desktop", "claude-desktop"],
    ["local-agent-mode-onym", "claude-desktop"],
    ["claude-ai", "claude-ai"],
    ["Claude AI", "claude-ai"],
    ["Anthropic/ClaudeAI", "claude-ai"],
    ["Anthropic/API", "anthropic-mcp-connector"],
    ["claude-code", "claude-code"],
    ["ChatGPT", "chatgpt"],
    ["openai-mcp", "chatgpt"],
    ["OpenAI", "openai"],
    ["@n8n/n8n-nodes-langchain.mcpClientTool", "n8n"],
    ["n8n", "n8n"],
    ["@langchain/mcp-adapters", "langchain-js"],
    ["langchain", "langchain-python"],
    ["langchain-mcp-client", "langchain-python"],
    ["LlamaIndex", "llamaindex"],
    ["cursor-vscode", "cursor"],
    ["Cursor", "cursor"],
    ["continue-client", "continue-ide"],
    ["continue-cli-client", "continue"],
    ["qwen-cli-mcp-client-onym", "qwen-code"],
    ["MCPClient", "google-genai-sdk"],
    ["mcp-client-cli", "llamaindex"],
    ["strands-agents-ts-sdk", "strands"],
    ["mcp-use", "mcp-use"],
    ["Continue", "continue"],
    ["Cline", "cline"],
    ["@cline/core", "cline"],
    ["windsurf-client", "windsurf"],
    ["mcp-remote", "mcp-remote"],
    ["mcp", "python-sdk-default"],
    ["dev.warp.Warp-Nightly", "warp"],
    ["JetBrains-PY-copilot-intellij", "copilot-ide-plugins"],
    ["Xcode-copilot-xcode", "copilot-ide-plugins"],
    ["grok-shell-onym", "grok"],
    ["Visual Studio Code - Insiders", "vscode"],
    ["Q DEV CLI", "amazon-q-cli"],
    ["codex-mcp-client", "codex"],
    // DataGrout's, which calls tools by canonical names.
    ["datagrout-conduit", "canonical"],
  ])("recognises clientInfo %s as %s (GW-3)", (name, id) => {
    expect(byName(name).profile.id).toBe(id);
    expect(byName(name.toUpperCase()).profile.id).toBe(id);
  });

  it.each([
    ["ChatGPT", "chatgpt"],
    ["Mozilla/5.0 (compatible; ChatGPT-User/1.0; +https://openai.com/bot)", "chatgpt"],
    ["LangChain/0.3", "langchain-python"],
    ["langchain", "langchain-python"],
    ["python-httpx/0.27 langchain/0.3.1", "langchain-python"],
    ["LlamaIndex", "llamaindex"],
    ["n8n", "n8n"],
    ["n8n/1.2 (node)", "n8n"],
    ["OpenAI/Python 1.40.0", "openai"],
    ["Claude-User", "claude-ai"],
    ["claude-code/2.1.280 (cli)", "claude-code"],
    ["claude-code/2.1.280 (claude-desktop, agent-sdk/0.2)", "claude-desktop"],
    ["claude-code/2.1.280 (sdk-ts, agent-sdk/0.2)", "claude-code"],
    ["mcp-remote/0.1.37", "mcp-remote"],
    ["openai-mcp/1.0.0 (ChatGPT)", "chatgpt"],
    ["openai-mcp/1.0.0 (Responses API)", "openai-hosted-mcp"],
    ["openai-mcp/1.0.0 (Agent Builder)", "openai-hosted-mcp"],
    ["openai-mcp/1.0.0 (Codex)", "codex"],
    ["openai-mcp/2.0", "chatgpt"],
    ["Visual Studio Code/1.104.0", "vscode"],
    ["Mozilla/5.0 (Macintosh) Cursor/1.2.3 Chrome/130", "cursor"],
    ["Zed/0.200.1+stable (linux; x86_64)", "zed"],
    ["copilot/1.0.86 (linux) term/xterm", "copilot-cli"],
    ["grok-connectors-manager/0.1.0", "grok"],
    ["Slack-MCP-Client/1.0", "slack"],
    ["Perplexity-MCP/1.0", "perplexity"],
    ["MicrosoftCopilotStudio-AgenticLoop/1.0", "copilot-studio"],
    ["Windsurf/1.9", "windsurf"],
  ])("recognises the user agent %s as %s (GW-3)", (userAgent, id) => {
    expect(byAgent(userAgent).profile.id).toBe(id);
    expect(detectProfile({ headers: { "User-Agent": [userAgent] } }).profile.id).toBe(id);
  });

  it.each([
    "node",
    "undici",
    "python-httpx/0.27.0",
    "curl/8.5",
    "to be continued",
    "a goose amp",
    "Mozilla/5.0",
  ])("takes %s for nobody it knows, and says so (GW-3)", (userAgent) => {
    const { profile, confidence, evidence } = byAgent(userAgent);
    expect([profile.id, confidence]).toEqual(["universal", "none"]);
    expect(evidence).toMatchObject([{ source: "userAgent", text: userAgent }]);
    expect(evidence[0]?.matched).toMatch(/no known client/);
  });

  it("looks behind the mcp-remote bridge (GW-3)", () => {
    expect(byName("cursor-vscode (via mcp-remote 0.1.37)")).toMatchObject({
      profile: { id: "cursor" },
      via: "mcp-remote",
    });
    expect(byName("local-agent-mode-a b (via mcp-remote 0.1.37)").profile.id).toBe("claude-desktop");
    expect(byName("Cline (via mcp-remote 1) (via mcp-remote 2)").profile.id).toBe("cline");
    expect(byName("nobody (via mcp-remote 0.1.37)")).toMatchObject({
      profile: { id: "mcp-remote" },
      via: "mcp-remote",
    });
    expect(byName("(via mcp-remote 0.1.37)").profile.id).toBe("mcp-remote");
    expect(byName("cursor-vscode").via).toBeUndefined();
  });

  it.each([
    ["ClaudeCode", "claude-code"],
    ["ClaudeAI", "claude-ai"],
    ["Cowork", "claude-ai"],
    ["ClaudeDesign", "claude-ai"],
  ])("believes x-anthropic-client: %s over the pooled clientInfo (GW-3)", (value, id) => {
    const clientInfo = { name: "Anthropic/ClaudeAI" };
    const headers = { "X-Anthropic-Client": value };
    const found = detectProfile({ clientInfo, userAgent: "Claude-User", headers });
    expect(found).toMatchObject({ profile: { id }, confidence: "exact" });
    expect(found.evidence[0]).toEqual({ source: "header", text: value, matched: "x-anthropic-client" });
  });

  it.each([
    ["mcp", "LangChain/0.3", "langchain-python"],
    ["mcp", "python-httpx/0.27", "python-sdk-default"],
    ["openai-mcp", "openai-mcp/1.0.0 (Responses API)", "openai-hosted-mcp"],
    ["Anthropic/ClaudeAI", "claude-code/2.1 (cli)", "claude-code"],
    ["connectors-manager", "grok-connectors-manager/0.1.0", "grok"],
    ["connectors-manager", "axum", "universal"],
    ["rmcp", "goose/1.0", "goose"],
    ["rmcp", undefined, "universal"],
    ["cursor-vscode", "node", "cursor"],
    ["cline", "Claude-User", "cline"],
  ])(
    "asks the user agent only where clientInfo %s is shared: with %s it is %s (GW-3)",
    (name, userAgent, id) => {
      expect(detectProfile({ clientInfo: { name }, userAgent }).profile.id).toBe(id);
    },
  );

  it("reads the other headers that clients send (GW-3)", () => {
    expect(detectProfile({ headers: new Map([["X-Title", "Cherry Studio"]]) }).profile.id).toBe(
      "cherry-studio",
    );
    expect(detectProfile({ headers: { "x-openai-session": "abc" } }).profile.id).toBe("chatgpt");
    expect(detectProfile({ clientInfo: { name: "x", title: "Codex" } }).profile.id).toBe("codex");
  });

  it("says how sure it is (GW-3)", () => {
    expect(byName("cursor-vscode").confidence).toBe("exact");
    expect(byName("mcp").confidence).toBe("shared");
    expect(byAgent("python-httpx/0.27 langchain/0.3.1").confidence).toBe("loose");
    expect(detectProfile({}).confidence).toBe("none");
    expect(detectProfile({}).evidence).toHaveLength(1);
  });

  it("recognises every name of every row that names one client (GW-3)", () => {
    const shared = new Set([
      "mcp",
      "rmcp",
      "connectors-manager",
      "openai-mcp",
      "claude-ai",
      "Anthropic/ClaudeAI",
      "Q DEV CLI",
    ]);
    for (const { id, clientInfoNames } of listProfiles()) {
      for (const name of clientInfoNames) {
        if (shared.has(name) || name.includes("{")) continue;
        expect([name, byName(name).profile.id]).toEqual([name, id]);
      }
    }
  });

  it("shows what was sent escaped (SAFE-1)", () => {
    expect(byName("evil\u202e\n").evidence[0]?.text).toBe("evil\\u{202E}");
  });

  it("answers for anything at all (SAFE-1)", () => {
    const anything = fc.anything({ withMap: true, withNullPrototype: true });
    fc.assert(
      fc.property(anything, anything, anything, (clientInfo, userAgent, headers) => {
        const hints = { clientInfo, userAgent, headers } as DetectionHints;
        expect(detectProfile(hints).evidence.length).toBeGreaterThan(0);
        expect(detectProfile({ clientInfo: { name: clientInfo, title: headers } }).profile).toBeDefined();
      }),
    );
    for (const text of ["(via mcp-remote", "(via mcp-remote x)", "(((", " ", "/", "a/"]) {
      expect(byName(text.repeat(20_000)).profile).toBeDefined();
      expect(byAgent(text.repeat(20_000)).profile).toBeDefined();
    }
    expect(byName("__proto__").profile.id).toBe("universal");
  });
});
