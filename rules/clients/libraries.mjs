// Libraries that agents are built with: a driver of a dozen lines stands for the agent.

import { fileURLToPath } from "node:url";

const driver = (name) => fileURLToPath(new URL(`../drivers/${name}.mjs`, import.meta.url));

/** Their peers ask for releases that do not go together: npm refuses them, or looks for others without end. */
const LOOSE_PEERS = ["--legacy-peer-deps"];

/** Later ones ask for releases of LangChain's other packages that the registry does not have. */
const LANGGRAPH = "@langchain/langgraph@1.4.13";

const library = (id, { profile, packages, title, batch, npm }) => ({
  id,
  title,
  profile,
  packages,
  batch,
  npm,
  driver: driver(id),
  start: ({ provider, servers, driver: file, node }) => ({
    command: node,
    args: [file, JSON.stringify({ provider, servers })],
  }),
});

export const LIBRARIES = [
  library("openai-agents-js", {
    title: "OpenAI Agents SDK (JS)",
    profile: "openai-agents-js",
    packages: ["@openai/agents"],
  }),
  library("langchain-js", {
    title: "LangChain MCP adapters (JS)",
    profile: "langchain-js",
    packages: ["@langchain/mcp-adapters", "@langchain/core", LANGGRAPH],
    npm: LOOSE_PEERS,
  }),
  library("ai-sdk", {
    title: "Vercel AI SDK",
    profile: "vercel-ai-sdk",
    packages: ["@ai-sdk/mcp", "@ai-sdk/openai-compatible", "ai"],
  }),
  library("genai-sdk", {
    title: "Google GenAI SDK",
    profile: "google-genai-sdk",
    packages: ["@google/genai", "@modelcontextprotocol/sdk"],
  }),
  library("adk-js", {
    title: "Google ADK (JS)",
    profile: "google-genai-sdk",
    packages: ["@google/adk", "@modelcontextprotocol/sdk"],
  }),
  library("hf-tiny-agents", {
    title: "Hugging Face Tiny Agents",
    profile: "hf-mcp-client",
    packages: ["@huggingface/mcp-client"],
  }),
  library("llamaindex-ts", {
    title: "LlamaIndex.TS",
    profile: "llamaindex",
    packages: ["@llamaindex/tools", "llamaindex", "@llamaindex/openai"],
  }),
  library("strands-ts", {
    title: "Strands Agents (TypeScript)",
    profile: "strands",
    // Of calls in one turn it keeps the last.
    batch: 1,
    packages: ["@strands-agents/sdk", "openai"],
  }),
  library("mastra", {
    title: "Mastra",
    profile: "mastra",
    packages: ["@mastra/mcp", "@mastra/core", "@ai-sdk/openai-compatible"],
  }),
  library("mcp-use", {
    title: "mcp-use 1.x",
    profile: "mcp-use",
    packages: [
      "mcp-use@1.34.6",
      "@langchain/openai@1.5.13",
      "langchain@1.5.14",
      "@langchain/core@1.2.13",
      LANGGRAPH,
      // What npm would add as its peers.
      "react@19",
      "react-router@7",
      "zod@4",
    ],
    npm: LOOSE_PEERS,
  }),
  library("voltagent", {
    title: "VoltAgent",
    profile: "voltagent",
    packages: ["@voltagent/core", "@ai-sdk/openai-compatible@2", "ai@6"],
  }),
  library("beeai", {
    title: "BeeAI (TypeScript)",
    profile: "beeai",
    packages: ["beeai-framework", "@modelcontextprotocol/sdk", "@ai-sdk/openai@3", "zod@3"],
    npm: LOOSE_PEERS,
  }),
  library("genkit", {
    title: "Genkit",
    profile: "genkit",
    packages: ["genkit", "@genkit-ai/mcp", "@genkit-ai/compat-oai"],
  }),
];
